import { fieldError } from '../../../platform/errors.ts'
import { joined, renamed, requiredText, textOf } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const host = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^[0-9a-f:]+$/i
const user = /^[a-z_][a-z0-9_.-]*\$?$/i

/** A server with SSH. It is known by its key beforehand, and the device by its own. */
export const sftp: StorageProvider = {
  normalize(details) {
    const values = {
      host: requiredText(details, 'The host is required', 'host'),
      port: portOf(details.port),
      username: requiredText(details, 'The user name is required', 'username'),
      path: requiredText(details, 'The path is required', 'path'),
      privateKey: requiredText(details, 'The private key is required', 'privateKey'),
      hostKey: requiredText(details, 'The key of the host is required, as a line of known_hosts', 'hostKey'),
    }
    // They become words of a command line.
    if (!host.test(values.host)) throw fieldError('details.host', 'Must be a host name or an address')
    if (!user.test(values.username)) throw fieldError('details.username', 'Must be a user name')
    if (/[\r\n]/.test(values.hostKey)) throw fieldError('details.hostKey', 'Must be one line')
    return renamed(details, [], values)
  },
  target(details, subPath) {
    const [name, at] = [textOf(details, 'username') ?? '', textOf(details, 'host') ?? '']
    const path = joined((textOf(details, 'path') ?? '').replace(/\/+$/, ''), subPath)
    const ssh = [
      'ssh',
      '-p',
      String(portOf(details.port)),
      '-i {privateKey}',
      '-o UserKnownHostsFile={hostKey}',
      '-o StrictHostKeyChecking=yes',
      '-o BatchMode=yes',
      `${name}@${at}`,
      '-s sftp',
    ]
    return {
      url: `sftp:${name}@${at}:${path}`,
      env: {},
      options: [`sftp.command=${ssh.join(' ')}`],
      files: {
        privateKey: `${textOf(details, 'privateKey') ?? ''}\n`,
        hostKey: `${textOf(details, 'hostKey') ?? ''}\n`,
      },
    }
  },
}

function portOf(value: unknown): number {
  const port = value === undefined || value === null ? 22 : Number(value)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw fieldError('details.port', 'Must be 1 to 65535')
  return port
}
