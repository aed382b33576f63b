import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright'
import { hearNotices } from './notices.ts'

/** The longest that one step may take on a busy machine. */
const patienceMs = 60_000

/** A separate browser, in which nobody is signed in. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(patienceMs)
  await hearNotices(context)
  return context
}
