import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright'
import { expect } from 'vitest'

const shots = join(import.meta.dirname, 'screenshots')

/**
 * Looks at a screen as its users will: wide and narrow, light and dark, with axe for who can not see it. With
 * `UPDATE_SCREENSHOTS=1` the pictures are kept, the README shows some of them.
 */
export async function look(page: Page, name: string): Promise<void> {
  const former = page.viewportSize()
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(250)
    await assertAccessible(page, `${name}, ${scheme}`)
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

async function assertAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  expect(found, what).toEqual([])
}

/** Nothing may make the page scroll sideways on a phone; charts take a moment to find their size. */
async function assertFits(page: Page, what: string): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(excess, { message: `${what} is wider than a phone`, timeout: 5000 }).toBeLessThanOrEqual(0)
}
