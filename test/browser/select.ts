import type { Locator } from 'playwright'

/**
 * Clicks an option of an open list. It is scrolled into view in its list first: Playwright would scroll the page below a
 * dialog, too, and the list moves with that page between the press of the button and its release.
 */
export async function chooseOption(option: Locator): Promise<void> {
  await option.evaluate((one) => one.scrollIntoView({ block: 'nearest' }))
  await option.click()
}
