import { isIPv6 } from 'node:net'
import { helperLog } from '../../../../shared/node/restic-run.ts'
import { fieldError } from '../../../platform/errors.ts'
import { inUrl, requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const host = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i
const user = /^[a-z_][a-z0-9_.-]*\$?$/i
/** With or without the names of the host before it, and a comment after it. */
const knownHost = /^(?:[^@\s]\S*\s+)?((?:ssh|ecdsa|sk)-[\w@.-]+)\s+([\w+/]+=*)(?:\s.*)?$/
/** What the key is filed under, so that it counts however the host is spelled. */
const alias = 'homeport-storage'

/** A server with SSH. It is known by its key beforehand, and the device by its own. */
export const sftp: StorageProvider = {
  normalize(details) {
    const values = {
      host: requiredText(details, 'The host is required', 'host'),
      port: portOf(details.port),
      username: requiredText(details, 'The user name is required', 'username'),
      // It begins in the home folder anyway.
      path: requiredText(details, 'The path is required', 'path').replace(/^~\//, ''),
      // As it comes from Windows, ssh cannot read it.
      privateKey: requiredText(details, 'The private key is required', 'privateKey').replaceAll('\r\n', '\n'),
      hostKey: requiredText(details, 'The key of the host is required, as a line of known_hosts', 'hostKey'),
    }
    // They become words of a command line.
    if (!host.test(values.host) && !isIPv6(values.host))
      throw fieldError('details.host', 'Must be a host name or an address')
    if (!user.test(values.username)) throw fieldError('details.username', 'Must be a user name')
    const [, kind, key] = knownHost.exec(values.hostKey) ?? []
    if (!kind) throw fieldError('details.hostKey', 'Must be one line of known_hosts, such as ssh-keyscan writes it')
    return withValues(details, { ...values, hostKey: `${kind} ${key}` })
  },
  host: (details) => textOf(details, 'host') ?? '',
  receiver: (details) => `${textOf(details, 'host')?.toLowerCase()}:${portOf(details.port)}`,
  target(details, subPath, address) {
    const [name, at] = [textOf(details, 'username') ?? '', textOf(details, 'host') ?? '']
    const port = portOf(details.port)
    const path = `${(textOf(details, 'path') ?? '').replace(/\/+$/, '')}/${subPath}`
    // Quoted once for restic, which splits it into words, and once for ssh, which takes a list of files.
    const ssh = [
      `ssh -F none -E "${helperLog}"`,
      `-p ${port}`,
      '-i "{privateKey}"',
      `-o 'UserKnownHostsFile="{hostKey}"'`,
      '-o GlobalKnownHostsFile=none',
      `-o HostKeyAlias=${alias}`,
      ...(address ? [`-o HostName=${address}`] : []),
      '-o StrictHostKeyChecking=yes -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none',
      '-o ConnectTimeout=20 -o ServerAliveInterval=60',
      `${name}@${at} -s sftp`,
    ]
    return {
      // The first slash ends the port, so that an absolute path has two.
      url: `sftp://${name}@${isIPv6(at) ? `[${at}]` : at}:${port}/${inUrl(path)}`,
      env: {},
      options: [`sftp.command=${ssh.join(' ')}`],
      files: {
        privateKey: `${textOf(details, 'privateKey') ?? ''}\n`,
        hostKey: `${alias} ${textOf(details, 'hostKey') ?? ''}\n`,
      },
    }
  },
}

function portOf(value: unknown): number {
  const port = value === undefined || value === null ? 22 : Number(value)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw fieldError('details.port', 'Must be 1 to 65535')
  return port
}
