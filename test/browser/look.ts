import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as axe from 'axe-core'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { isThorough } from '../helpers/thorough.ts'

const shots = process.env.UPDATE_SCREENSHOTS ? join(import.meta.dirname, 'screenshots') : null
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const schemes = isThorough || shots ? (['light', 'dark'] as const) : (['light'] as const)

/**
 * Checks a screen as its users see it. The thorough tests examine it with axe in light and in dark, and narrow it to a
 * phone. In `npm test` its name decides: of three screens one is examined in light and one is narrowed to a phone. With
 * `UPDATE_SCREENSHOTS=1` the pictures are kept; the README and docs/ show some of them.
 */
export async function look(page: Page, name: string): Promise<void> {
  await assertFocusIsUseful(page, name)
  await assertNothingMoves(page, name)
  const turn = createHash('sha256').update(name).digest().readUInt32BE() % 3
  if (isThorough || shots || turn === 0) await examine(page, name)
  if (isThorough || turn === 1) await assertFitsPhone(page, name)
}

/** The tests ask for less motion, so no part of a page may change gradually. */
async function assertNothingMoves(page: Page, what: string): Promise<void> {
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => !/^(0s(, )?)+$/.test(getComputedStyle(element).transitionDuration))
      .map(({ outerHTML }) => outerHTML.slice(0, 150)),
  )
  expect(moving, `${what}: parts that change gradually`).toEqual([])
}

/** The focus of a dialog is in it, and not on the button that closes it; a dialog with a field has it there. */
async function assertFocusIsUseful(page: Page, what: string): Promise<void> {
  const focus = () =>
    page.evaluate(() => {
      const dialogs = [...document.querySelectorAll('[role="dialog"]')].filter((one) => one.checkVisibility())
      const active = document.activeElement
      if (dialogs.length === 0 || !active) return 'fine'
      const dialog = dialogs.find((one) => one.contains(active))
      if (!dialog) return `beside the dialog: ${active.outerHTML.slice(0, 200)}`
      if (active.matches('[aria-label="Close"]')) return 'on the button that closes the dialog'
      const field = dialog.querySelector(
        'input:not([type="hidden"], :disabled, [readonly]), textarea:not(:disabled, [readonly])',
      )
      return active === dialog && field ? `on no field: ${field.outerHTML.slice(0, 200)}` : 'fine'
    })
  await expect.poll(focus, { message: `${what}: the focus is`, timeout: 10_000 }).toBe('fine')
}

async function examine(page: Page, name: string): Promise<void> {
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme })
    await settled(page)
    await assertAccessible(page, `${name}, ${scheme}`, scheme)
    if (shots) await takePictures(page, join(shots, `${name}-${scheme}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

async function takePictures(page: Page, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const former = page.viewportSize()
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.waitForTimeout(150)
    await page.screenshot({ path: `${path}-${width}.png` })
  }
  if (former) await page.setViewportSize(former)
}

/** Waits for fades: colors change gradually between the schemes, and dialogs fade in. */
const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const moving = () =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    do {
      await frame()
      await frame()
      await Promise.allSettled(moving().map(({ finished }) => finished))
    } while (moving().length > 0)
  })

/** The dark scheme differs in its colors only. */
const rules: Record<(typeof schemes)[number], axe.RunOnly> = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

/** Markup of the frame and of pages that axe has already examined in this worker, by color scheme. */
const examined = new Set<string>()

/**
 * Runs axe in the page itself: without frames its builder for Playwright is not needed. Parts that have not changed
 * since the last run, such as the navigation around every page, are left out, and so is what a dialog makes unreachable.
 */
async function assertAccessible(page: Page, what: string, scheme: keyof typeof rules): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const parts = await page.evaluate(markUpParts, { attribute: partAttribute, overlays })
  const digests = parts.map((markup) => createHash('sha256').update(`${scheme} ${markup}`).digest('base64'))
  const known = digests.flatMap((digest, index) => (examined.has(digest) ? [[`[${partAttribute}="${index}"]`]] : []))
  const found = await page.evaluate(
    async ({ rules, known, overlays }) => {
      const here = (window as unknown as { axe: typeof axe }).axe
      const include = document.querySelector(overlays) ?? document.documentElement
      const { violations } = await here.run(
        { include, exclude: known },
        { runOnly: rules, resultTypes: ['violations'] },
      )
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    },
    { rules: rules[scheme], known, overlays },
  )
  expect(found, what).toEqual([])
  for (const digest of digests) examined.add(digest)
}

const partAttribute = 'data-examined-part'
/** Where dialogs, their lists and notices are, while a dialog keeps from reaching the page itself. */
const overlays = '[data-mantine-shared-portal-node]:has([role="dialog"][aria-modal="true"])'

/** Numbers the large parts of the page and returns the markup and styles of each, without ids that change per load. */
function markUpParts({ attribute, overlays }: { attribute: string; overlays: string }): string[] {
  const reachable = document.querySelector(overlays) ?? document
  const parts = [...reachable.querySelectorAll('header, nav, main, table, [role="tree"]')]
  for (const part of parts) part.removeAttribute(attribute)
  const constant = (text: string) => text.replace(/mantine-[a-z0-9]{9}\b|__m__-[\w-]+|«?[_:]r_?[a-z0-9]+[_:]»?/g, 'id')
  const sheets = [...document.querySelectorAll('style')].map(({ textContent }) => textContent)
  const around = [innerWidth, document.documentElement.cloneNode(false), document.body.cloneNode(false)]
  const surroundings = around
    .map((one) => (one instanceof Element ? one.outerHTML : String(one)))
    .concat(sheets)
    .join()
  const markup = parts.map(({ outerHTML }) => constant(surroundings + outerHTML))
  for (const [index, part] of parts.entries()) part.setAttribute(attribute, String(index))
  return markup
}

/** The page must not scroll sideways on a phone; charts take a moment to find their size. */
async function assertFitsPhone(page: Page, what: string): Promise<void> {
  const former = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(excess, { message: `${what} is wider than a phone` }).toBeLessThanOrEqual(0)
  if (former) await page.setViewportSize(former)
}
