import { existsSync } from 'node:fs'

/** The `sshd` of this machine. */
export const findSshServer = (): string | undefined =>
  ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd'].find((file) => existsSync(file))
