import { expect, onTestFinished, test } from 'vitest'
import { ada, startCompany } from './company.ts'
import { seedOrganizations } from './tenants.ts'

test('with one organization and one site there is neither a tenant switcher nor a tree', async () => {
  const company = await startCompany()
  onTestFinished(() => company[Symbol.asyncDispose]())
  seedOrganizations(company.db, 1, { sites: 1 })
  const page = await company.signIn(ada.email, '/devices')
  await page.getByText('head-office-pc-1').waitFor()
  await page.waitForTimeout(500)
  expect(await page.getByRole('button', { name: /^Organization / }).count()).toBe(0)
  expect(await page.getByRole('tree').count()).toBe(0)
  await page.keyboard.press('s')
  await page.waitForTimeout(300)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Search the list').waitFor()
  expect(await page.getByText('Choose an organization').count()).toBe(0)
  const chosen = (label: string) =>
    expect.poll(() => page.getByRole('combobox', { name: label }).inputValue(), { message: label })
  await page.goto('/settings/api-keys?create=key')
  await chosen('Organization').toBe('Harbour Logistics 1')
  await page.goto('/enrollment-keys?create=key')
  await chosen('Organization').toBe('Harbour Logistics 1')
  await chosen('Site').toBe('Head office')
  // Nothing typed would be lost by closing.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('with one organization and several sites the tree shows the sites without the organization', async () => {
  const company = await startCompany()
  onTestFinished(() => company[Symbol.asyncDispose]())
  seedOrganizations(company.db, 1)
  const page = await company.signIn(ada.email)
  await page.getByRole('treeitem', { name: /^Warehouse/ }).waitFor()
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(3)
  await page
    .getByRole('treeitem', { name: /^Warehouse/ })
    .getByRole('link')
    .click()
  await expect.poll(() => page.getByRole('table').getByText('warehouse-pc-1').count()).toBe(1)
  await expect.poll(() => page.getByRole('table').getByText('branch-pc-1').count()).toBe(0)
})
