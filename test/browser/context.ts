import { isDeepStrictEqual } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright'
import { freePort } from '../helpers/real-appliance.ts'
import { forgetNotices, hearNotices } from './notices.ts'

/** As long as a busy machine may need for one step. */
const patienceMs = 60_000
const viewport = { width: 1280, height: 800 }

/** A browser of somebody's own, in which nobody is signed in. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(patienceMs)
  await hearNotices(context)
  return context
}

/** Contexts whose page may be used again: the origin at which it is, and the options with which it was opened. */
const reusable = new WeakMap<BrowserContext, { origin: string; options: BrowserContextOptions }>()
/** Pages of this worker that no test uses at the moment. */
const idle = new Set<Page>()

/**
 * A page in a browser of its own, in which nobody is signed in. A test that is done with it calls `leave`: it is used again
 * then, because a new page costs half a second of CPU time for its process and for compiling the console.
 */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Page> {
  const wanted = { origin, options }
  for (const page of idle) {
    if (!isDeepStrictEqual(reusable.get(page.context()), wanted)) continue
    idle.delete(page)
    return page
  }
  const context = await openContext(browser, { baseURL: origin, ...options })
  reusable.set(context, wanted)
  return context.newPage()
}

/** Sends these headers with every request of the page until it is left, as a proxy in between would. */
export async function sendHeaders(page: Page, headers: Record<string, string>): Promise<void> {
  await page.context().setExtraHTTPHeaders(headers)
  undoOnLeave(page, () => page.context().setExtraHTTPHeaders({}))
}

/** For tests of a browser that has never loaded the console: used pages have its files in their cache. */
export async function closeIdlePages(): Promise<void> {
  const pages = [...idle]
  idle.clear()
  await Promise.all(pages.map((page) => page.context().close()))
}

/** What removes from a page what a test has added to it, such as an authenticator. */
const undoing = new WeakMap<Page, (() => Promise<unknown>)[]>()

export function undoOnLeave(page: Page, undo: () => Promise<unknown>): void {
  undoing.set(page, [...(undoing.get(page) ?? []), undo])
}

/** For pages that carry something which cannot be removed, such as a script that runs before those of the page. */
export function keepFromReuse(page: Page): void {
  reusable.delete(page.context())
}

/** Cleans the page for the next test, while its server is still there, or else closes its browser. */
export async function leave(page: Page): Promise<void> {
  if (idle.has(page)) return
  const isClean = await clean(page).catch(() => false)
  if (isClean) idle.add(page)
  else await page.context().close()
}

/** `leave` for every page of the browser. */
export async function leaveAll(browser: Browser): Promise<void> {
  await Promise.all(
    browser.contexts().map((context) => {
      const [page] = context.pages()
      return page ? leave(page) : context.close()
    }),
  )
}

/** The same for each appliance of this worker, if it is free: only at one and the same origin a page is used again. */
export async function portOfWorker(): Promise<string> {
  return String(await freePort(21_000 + Number(process.env.VITEST_POOL_ID)))
}

/**
 * Resolves with whether the page may be used again.
 * @throws when it is closed, or its server does not answer
 */
async function clean(page: Page): Promise<boolean> {
  const context = page.context()
  const origin = reusable.get(context)?.origin
  if (!origin) return false
  await Promise.all(context.pages().map((other) => other !== page && other.close()))
  for (const event of ['console', 'request', 'response', 'weberror'] as const) context.removeAllListeners(event)
  for (const event of ['console', 'dialog', 'load', 'pageerror', 'request', 'response'] as const)
    page.removeAllListeners(event)
  for (const undo of undoing.get(page) ?? []) await undo()
  undoing.delete(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // Its headers are those of the console: an answer of the API would make the next page start a new process.
  await page.goto(`${origin}/icon.svg`)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
  await page.setViewportSize(viewport)
  await page.emulateMedia({ media: null, colorScheme: null })
  forgetNotices(page)
  return true
}
