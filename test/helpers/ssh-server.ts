import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { findSshServer } from './find-ssh-server.ts'
import { freePort } from './real-appliance.ts'
import { stoppableServer } from './started-process.ts'

/** OpenSSH on a port of its own, which lets the account of the tests in with one key. */
export async function sshServer() {
  const folder = scratchFolder()
  const keyPair = (name: string) => {
    const file = join(folder, name)
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
    return { file, privateKey: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
  }
  const [host, client, stranger] = [keyPair('host'), keyPair('client'), keyPair('stranger')]
  const authorized = join(folder, 'authorized_keys')
  copyFileSync(`${client.file}.pub`, authorized)
  const port = await freePort()
  const settings = join(folder, 'sshd_config')
  writeFileSync(
    settings,
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${host.file}
AuthorizedKeysFile ${authorized}
StrictModes no
UsePAM no
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
`,
  )
  // sshd wants it when root starts it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const file = findSshServer()
  if (!file) throw new Error('No OpenSSH server: run node test/helpers/ensure-ssh-server.ts')
  const server = await stoppableServer({ file, args: ['-D', '-e', '-f', settings], port })
  const path = join(folder, 'of the backups')
  mkdirSync(path)
  return {
    server,
    path,
    stranger,
    details: {
      host: '127.0.0.1',
      port,
      username: userInfo().username,
      path,
      privateKey: client.privateKey,
      hostKey: `[127.0.0.1]:${port} ${host.publicKey}`,
    },
  }
}
