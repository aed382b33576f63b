import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findSshServer } from './find-ssh-server.ts'

/** The tests of backup storage need an OpenSSH server, which they start themselves: brings one when there is none. */

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'inherit' }).status === 0

if (!findSshServer()) {
  process.stdout.write('No OpenSSH server found; installing one for the tests of backup storage.\n')
  // Where systemd runs, the package would open the machine to the network.
  const mayInstall = process.getuid?.() === 0 && !existsSync('/run/systemd/system')
  const isInstalled =
    mayInstall &&
    run('apt-get', 'update', '-qq') &&
    run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'openssh-server', 'openssh-client')
  if (!isInstalled || !findSshServer()) {
    process.stderr.write(
      'No OpenSSH server could be installed. Install it (Debian: openssh-server; it need not run), then run the tests again.\n',
    )
    process.exitCode = 1
  }
}
