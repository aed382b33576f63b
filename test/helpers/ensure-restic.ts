import { spawnSync } from 'node:child_process'
import { writeQuickRestic } from './quick-restic.ts'

/** The tests of backups need restic: brings one when there is none. */

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'inherit' }).status === 0
const hasRestic = (): boolean =>
  spawnSync(process.env.RESTIC_PATH ?? 'restic', ['version'], { stdio: 'ignore' }).status === 0

if (!hasRestic()) {
  process.stdout.write('No restic found; installing one for the tests of backups.\n')
  const isRoot = process.getuid?.() === 0
  const isInstalled = isRoot && run('apt-get', 'update', '-qq') && run('apt-get', 'install', '-y', '-qq', 'restic')
  if (!isInstalled || !hasRestic()) {
    process.stderr.write(
      'restic could not be installed. Install it (https://restic.net), or set RESTIC_PATH, then run the tests again.\n',
    )
    process.exitCode = 1
  }
}

if (hasRestic()) writeQuickRestic()
