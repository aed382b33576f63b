import { type Browser, type CDPSession, chromium, type Locator, type Page } from 'playwright'
import { findChromium } from '../test/helpers/chromium.ts'
import { percentiles } from './load.ts'
import { admin } from './seed.ts'
import type { World } from './world.ts'

/** The console as a slow computer shows it: a real Chromium whose CPU is throttled. */

export interface ConsoleReport {
  /** Milliseconds to the largest contentful paint of the device list. */
  paints: Timing[]
  /** Milliseconds from an input to the next picture, as the Event Timing API measures it. */
  interactions: Timing[]
}

interface Timing {
  name: string
  p50: number
  max: number
}

/** How many times slower than this computer. */
export const slowdown = 4
const repetitions = 7
const viewport = { width: 1280, height: 800 }

export async function measureConsole(world: World): Promise<ConsoleReport> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('There is no Chromium; install one or set CHROMIUM_PATH')
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  try {
    return { paints: await measurePaints(browser, world), interactions: await measureInteractions(browser, world) }
  } finally {
    await browser.close()
  }
}

async function measurePaints(browser: Browser, { origin }: World): Promise<Timing[]> {
  const [first, again]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < repetitions; turn++) {
    const { page, session } = await openSlowly(browser, origin)
    await session.send('Network.clearBrowserCache')
    first.push(await paintOf(page))
    again.push(await paintOf(page))
    await page.context().close()
  }
  return [timing('Device list, nothing cached', first), timing('Device list, opened again', again)]
}

/** A page of its own browser context, signed in, and throttled from then on. */
async function openSlowly(browser: Browser, origin: string): Promise<{ page: Page; session: CDPSession }> {
  const context = await browser.newContext({ viewport, baseURL: origin })
  const page = await context.newPage()
  const answer = await page.request.post('/api/v1/auth/login', { data: admin })
  if (!answer.ok()) throw new Error(`sign-in answered ${answer.status()}`)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return { page, session }
}

async function paintOf(page: Page): Promise<number> {
  await page.goto('/devices')
  await page.getByRole('row').nth(50).waitFor()
  await page.waitForTimeout(1500)
  return page.evaluate(readPaint)
}

/** These run in the page. */
const readPaint = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
    type: 'largest-contentful-paint',
    buffered: true,
  }))`
const watchEvents = `{
  globalThis.durations = []
  const isInteraction = ({ interactionId }) => interactionId > 0
  new PerformanceObserver((list) =>
    durations.push(...list.getEntries().filter(isInteraction).map(({ duration }) => duration)),
  ).observe({ type: 'event', durationThreshold: 16 })
}`

interface Input {
  name: string
  /** What is clicked, or has the focus when the key is pressed. */
  target: (page: Page, turn: number) => Locator
  key?: string
}

const inputs: Input[] = [
  { name: 'A letter in the search', target: (page) => page.getByRole('searchbox').first(), key: 'e' },
  { name: 'Sorting by a heading', target: (page) => headingOf(page, 'Name').getByRole('button') },
  { name: 'Selecting a device', target: (page, turn) => page.getByRole('checkbox').nth(turn + 2) },
  { name: 'Selecting another', target: (page, turn) => page.getByRole('checkbox').nth(turn + 3) },
  { name: 'Opening the columns', target: (page) => page.getByRole('button', { name: 'Columns', exact: true }) },
  { name: 'Closing them', target: (page) => page.getByRole('menu'), key: 'Escape' },
  { name: 'The next page', target: (page) => page.getByRole('button', { name: 'next page' }) },
]

const headingOf = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true })

async function measureInteractions(browser: Browser, { origin }: World): Promise<Timing[]> {
  const { page } = await openSlowly(browser, origin)
  await page.addInitScript(watchEvents)
  const found = new Map<string, number[]>(inputs.map(({ name }) => [name, []]))
  for (let turn = 0; turn < repetitions; turn++) {
    await page.goto('/devices')
    await page.getByRole('row').nth(50).waitFor()
    await page.waitForTimeout(settleMs)
    for (const input of inputs) found.get(input.name)?.push(await durationOf(input, page, turn))
  }
  await page.context().close()
  return [...found].map(([name, times]) => timing(name, times))
}

/** The input itself is all that happens then: Playwright would look at the page first. */
async function durationOf({ target, key }: Input, page: Page, turn: number): Promise<number> {
  const element = target(page, turn)
  await element.scrollIntoViewIfNeeded()
  if (key) await element.focus()
  const box = await element.boundingBox()
  if (!box) throw new Error('what is clicked is not there')
  if (!key) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForTimeout(settleMs)
  await page.evaluate('durations.length = 0')
  if (key) await page.keyboard.press(key)
  else {
    await page.mouse.down()
    await page.mouse.up()
  }
  await page.waitForTimeout(settleMs)
  // Shorter events than 16 ms are not told of.
  return Math.max(16, ...(await page.evaluate<number[]>('durations')))
}

/** Until the list has loaded what was asked for, and the browser has told of the event. */
const settleMs = 1200

function timing(name: string, times: readonly number[]): Timing {
  const { p50, max } = percentiles(times)
  return { name, p50, max }
}
