import type { Page } from 'playwright'

/** The first page after a sign-in. */
export const isHome = (url: URL) => url.pathname === '/'

/** Opens a page of the group "Settings" of the navigation, which is collapsed at first. */
export async function openFromSettings(page: Page, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const group = navigation.getByRole('button', { name: /^Settings/ })
  if ((await group.getAttribute('aria-expanded')) === 'false') await group.click()
  await navigation.getByRole('link', { name, exact: true }).click()
}
