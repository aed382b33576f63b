import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.ts'

/** The browser tests need a Chromium: brings one when there is none. */

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'inherit' }).status === 0

const isRoot = process.getuid?.() === 0
const fromDistribution = () =>
  isRoot &&
  run('apt-get', 'update', '-qq') &&
  ['chromium-headless-shell', 'chromium'].some((name) => run('apt-get', 'install', '-y', '-qq', name))
const fromPlaywright = () => run(process.execPath, 'node_modules/playwright/cli.js', 'install', 'chromium')

if (!findChromium()) {
  process.stdout.write('No Chromium found; installing one for the browser tests.\n')
  // Debian's package comes from a registry that is reachable where Playwright's own download may not be.
  if (!(fromDistribution() && findChromium()) && !(fromPlaywright() && findChromium())) {
    process.stderr.write(
      'No Chromium could be installed. Install one and set CHROMIUM_PATH, then run the tests again.\n',
    )
    process.exitCode = 1
  }
}
