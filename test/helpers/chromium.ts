import { existsSync } from 'node:fs'
import { chromium } from 'playwright'

/** `CHROMIUM_PATH`, else the distribution's, else Playwright's own; null when there is none. The shell starts fastest. */
export function findChromium(): string | null {
  const candidates = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    chromium.executablePath(),
  ]
  return candidates.find((path) => path && existsSync(path)) ?? null
}

/** Switches that keep the browser to itself: no background calls, no sandbox where root runs it. */
export const chromiumArgs = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]
