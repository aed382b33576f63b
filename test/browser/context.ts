import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright'
import { hearNotices } from './notices.ts'

/** As long as a busy machine may need for one step. */
const patienceMs = 60_000

/** A browser of somebody's own, in which nobody is signed in. */
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
