import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright'

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

/** The Chromium of this worker, started once: what tests must not share, they keep in contexts of their own. It ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  return shared
}

let shared: Promise<Browser> | null = null

/**
 * Switches that keep the browser to itself: no background calls, no sandbox where root runs it. A page lives for seconds:
 * optimizing its code, collecting its garbage, or helping it with other threads costs more than it saves.
 */
const chromiumArgs = [
  `--js-flags=${[
    '--no-opt',
    '--no-maglev',
    '--no-flush-bytecode',
    '--single-threaded',
    '--min-semi-space-size=128',
    '--max-semi-space-size=128',
    '--initial-heap-size=768',
    '--no-memory-reducer',
  ].join(' ')}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]
