import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Confirmation dialogs: focus, keys, and what they show while the action runs and if it fails. */

let company: Company
let page: Page
let org: SeededOrganization

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  org = seedOrganizations(company.db, 1)[0] as SeededOrganization
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const dialog = () => page.getByRole('dialog')
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
const isFocused = (element: Locator) => element.evaluate((one) => document.activeElement === one)
const soon = <T>(read: () => T) => expect.poll(read)
const siteNames = () => company.db.all(q.selectFrom('sites').select('name').where('org_id', '=', org.id))

async function askToDelete(name: string): Promise<Locator> {
  const menu = page.getByRole('button', { name: `Actions for ${name}`, exact: true })
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog()
    .getByRole('heading', { name: `Delete ${name}?` })
    .waitFor()
  return menu
}

test('a confirmation dialog focuses the button that changes nothing, and closing it returns the focus', async () => {
  await page.goto(`/organizations/${org.id}?tab=sites`)
  await page.getByRole('button', { name: 'New site' }).click()
  await page.getByLabel('Name').fill('Annex')
  await page.getByRole('button', { name: 'Create' }).click()
  for (const key of ['Escape', 'Enter']) {
    const menu = await askToDelete('Annex')
    await soon(() => isFocused(inDialog('Cancel'))).toBe(true)
    if (key === 'Escape') await look(page, 'confirm-delete-site')
    await page.keyboard.press(key)
    await dialog().waitFor({ state: 'hidden' })
    await soon(() => isFocused(menu)).toBe(true)
  }
  expect(siteNames()).toContainEqual({ name: 'Annex' })
})

test('a confirmation dialog stays open while its action runs and shows why it failed', async () => {
  const answer = Promise.withResolvers<void>()
  await page.route('**/orgs/sites/*', async (route) => {
    await answer.promise
    await route.fulfill({ status: 403, json: { error: 'Permission denied', code: 'permission_denied' } })
  })
  await askToDelete('Annex')
  const description = await dialog().evaluate(
    (one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent,
  )
  expect(description).toMatch(/.\.$/)
  expect(description).not.toContain('Cancel')
  await inDialog('Delete site').click()
  await soon(() => inDialog('Cancel').isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await dialog().isVisible()).toBe(true)
  answer.resolve()
  const alert = dialog().getByRole('alert')
  await alert.getByText('The site wasn’t deleted').waitFor()
  await alert.getByText('Your role doesn’t allow this.').waitFor()
  await look(page, 'confirm-failed')
  await page.unroute('**/orgs/sites/*')
  await inDialog('Delete site').click()
  await noticeAppears(page, 'Annex was deleted')
  await dialog().waitFor({ state: 'hidden' })
  expect(siteNames()).not.toContainEqual({ name: 'Annex' })
})
