import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type BrowserContext, type CDPSession, chromium, type Locator, type Page } from 'playwright'
import { findChromium } from '../test/helpers/chromium.ts'
import { percentiles } from './load.ts'
import { pinSelf, unpinSelf } from './processes.ts'
import { admin } from './seed.ts'
import type { World } from './world.ts'

/** The console as a slow computer shows it: a real Chromium whose CPU is throttled. */

export interface ConsoleReport {
  /** Milliseconds to the largest contentful paint of the device list, and until its first rows are painted. */
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

/** Visits after which V8 keeps the compiled code of the console with its files. */
const visitsToKnow = 3

/** Chromium and its threads run where they like: the throttle is what makes the computer slow. */
export async function measureConsole(world: World): Promise<ConsoleReport> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('There is no Chromium; install one or set CHROMIUM_PATH')
  const options = { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] }
  unpinSelf()
  try {
    return {
      paints: [...(await measureFirstPaints(options, world)), ...(await measureLaterPaints(options, world))],
      interactions: await measureInteractions(options, world),
    }
  } finally {
    pinSelf()
  }
}

type Launch = Parameters<typeof chromium.launch>[0]

/** By somebody who was never there before. */
async function measureFirstPaints(options: Launch, { origin }: World): Promise<Timing[]> {
  const browser = await chromium.launch(options)
  const paints: Paint[] = []
  try {
    for (let turn = 0; turn < repetitions; turn++) {
      const context = await browser.newContext({ viewport, baseURL: origin })
      const { page, session } = await openSlowly(context)
      await session.send('Network.clearBrowserCache')
      paints.push(await paintOf(page))
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return timingsOf('nothing cached', paints)
}

/** With a profile on disk, as every user has; a private window would keep neither files nor compiled code on disk. */
async function measureLaterPaints(options: Launch, { origin }: World): Promise<Timing[]> {
  const profile = mkdtempSync(join(tmpdir(), 'homeport-bench-profile-'))
  try {
    const context = await chromium.launchPersistentContext(profile, { ...options, viewport, baseURL: origin })
    const paints: Paint[] = []
    try {
      const { page } = await openSlowly(context)
      for (let turn = -visitsToKnow; turn < repetitions; turn++) {
        const paint = await paintOf(page)
        if (turn >= 0) paints.push(paint)
      }
    } finally {
      await context.close()
    }
    return timingsOf('opened again', paints)
  } finally {
    rmSync(profile, { recursive: true, force: true })
  }
}

/** A page of a browser context, signed in, and throttled from then on. */
async function openSlowly(context: BrowserContext): Promise<{ page: Page; session: CDPSession }> {
  const page = await context.newPage()
  const answer = await page.request.post('/api/v1/auth/login', { data: admin })
  if (!answer.ok()) throw new Error(`sign-in answered ${answer.status()}`)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(watchRows)
  return { page, session }
}

interface Paint {
  largest: number
  rows: number
}

async function paintOf(page: Page): Promise<Paint> {
  await openList(page)
  await page.waitForTimeout(1500)
  return page.evaluate<Paint>(readPaint)
}

/** Not by a locator, which looks at every element again and again while the page is busy. */
async function openList(page: Page): Promise<void> {
  await page.goto('/devices')
  while ((await page.evaluate<number>(countRows)) < 50) await pause(200)
}

const timingsOf = (name: string, paints: readonly Paint[]): Timing[] => [
  timing(
    `Device list, ${name}`,
    paints.map(({ largest }) => largest),
  ),
  timing(
    `Its first rows, ${name}`,
    paints.map(({ rows }) => rows),
  ),
]

/** These run in the page. */
const countRows = `document.querySelectorAll('tbody tr:not([aria-hidden])').length`
const readPaint = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve({ largest: list.getEntries().at(-1).startTime, rows: rowsAt })).observe({
    type: 'largest-contentful-paint',
    buffered: true,
  }))`
/** A message sent while a picture is made arrives after it. */
const watchRows = `{
  globalThis.rowsAt = 0
  const channel = new MessageChannel()
  channel.port1.onmessage = () => (rowsAt = performance.now())
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('tbody tr').length < 12) return
    observer.disconnect()
    requestAnimationFrame(() => channel.port2.postMessage(null))
  }).observe(document, { childList: true, subtree: true })
}`
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

async function measureInteractions(options: Launch, { origin }: World): Promise<Timing[]> {
  const browser = await chromium.launch(options)
  try {
    return await interactionsOf(await browser.newContext({ viewport, baseURL: origin }))
  } finally {
    await browser.close()
  }
}

async function interactionsOf(context: BrowserContext): Promise<Timing[]> {
  const { page } = await openSlowly(context)
  await page.addInitScript(watchEvents)
  const found = new Map<string, number[]>(inputs.map(({ name }) => [name, []]))
  for (let turn = 0; turn < repetitions; turn++) {
    await openList(page)
    await page.waitForTimeout(settleMs)
    for (const input of inputs) found.get(input.name)?.push(await durationOf(input, page, turn))
  }
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
