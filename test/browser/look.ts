import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type RunOnly } from 'axe-core'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { isThorough } from '../helpers/thorough.ts'

const schemes = isThorough || process.env.UPDATE_SCREENSHOTS ? (['light', 'dark'] as const) : (['light'] as const)
const shots = join(import.meta.dirname, 'screenshots')

/**
 * Looks at a screen as its users will: wide and narrow, light and dark, with axe for people who cannot see it. With
 * `UPDATE_SCREENSHOTS=1` the pictures are kept; the README and docs/ show some of them.
 */
export async function look(page: Page, name: string): Promise<void> {
  const former = page.viewportSize()
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await settled(page)
    await assertAccessible(page, `${name}, ${scheme}`, scheme)
    if (process.env.UPDATE_SCREENSHOTS) {
      mkdirSync(shots, { recursive: true })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 800 })
        await page.waitForTimeout(150)
        await page.screenshot({ path: join(shots, `${name}-${scheme}-${width}.png`) })
      }
      if (former) await page.setViewportSize(former)
    }
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page, name)
  if (former) await page.setViewportSize(former)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Colours fade from one scheme to the other, dialogs fade in: what is measured before is on no screen for long. */
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

const everyRule: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }

/** Markup of the frame and of pages that axe has examined in this worker, in which scheme. */
const examined = new Set<string>()

/**
 * Axe itself in the page: there are no frames that its builder for Playwright would be needed for. What has not changed
 * since axe saw it last, such as the navigation around every page, is left out.
 */
async function assertAccessible(page: Page, what: string, scheme: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const parts = await page.evaluate(markUpParts, partAttribute)
  const digests = parts.map((markup) => createHash('sha256').update(`${scheme} ${markup}`).digest('base64'))
  const known = digests.flatMap((digest, index) => (examined.has(digest) ? [[`[${partAttribute}="${index}"]`]] : []))
  const found = await page.evaluate(
    async ({ rules, known }) => {
      const here = (window as unknown as { axe: typeof axe }).axe
      const { violations } = await here.run({ exclude: known }, { runOnly: rules, resultTypes: ['violations'] })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    },
    { rules: everyRule, known },
  )
  expect(found, what).toEqual([])
  for (const digest of digests) examined.add(digest)
}

const partAttribute = 'data-examined-part'

/** Numbers the large parts of the page and returns, of each, its markup and styles without the ids that every page load makes anew. */
function markUpParts(attribute: string): string[] {
  const parts = [...document.querySelectorAll('header, nav, main, table, [role="tree"]')]
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

/** Nothing may make the page scroll sideways on a phone; charts take a moment to find their size. */
async function assertFits(page: Page, what: string): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(excess, { message: `${what} is wider than a phone` }).toBeLessThanOrEqual(0)
}
