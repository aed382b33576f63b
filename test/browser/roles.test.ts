import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'

/** Roles: made, inherited, refused, copied and deleted. */

const mia = { name: 'Mia Manager', email: 'mia@northwind.test' }
let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany()
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })
const box = (name: string | RegExp, on = page) => on.getByRole('checkbox', { name, exact: true })
const choose = async (label: string, option: string, on = page) => {
  await on.getByRole('combobox', { name: label }).click()
  await chooseOption(on.getByRole('option', { name: option, exact: true }))
}
const makeRole = async (name: string, parent?: string) => {
  await page.goto('/settings/roles')
  await button('New role').click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  if (parent) {
    await page.getByLabel('Based on a role').check()
    await choose('Which role', parent)
  }
  await button('Create').click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
}
const save = async (name: string, on = page) => {
  await button('Save', on).click()
  await noticeAppears(on, `${name} saved`)
}
const idOf = (name: string) => company.db.statement('SELECT id FROM roles WHERE name = ?').pluck().get(name) as string
const grantsOf = (name: string) =>
  company.db
    .all(
      q
        .selectFrom('role_permissions')
        .innerJoin('permissions', 'permissions.id', 'permission_id')
        .select(['resource', 'action'])
        .where('role_id', '=', idOf(name)),
    )
    .map(({ resource, action }) => `${resource}:${action}`)
    .toSorted()

test('a role is made, and its permissions are ticked by keyboard', async () => {
  await openFromSettings(page, 'Roles')
  await page
    .getByRole('row', { name: /^Administrator/ })
    .getByText('Built in')
    .waitFor()
  await look(page, 'roles')
  await makeRole('Helpdesk')
  await box('Devices: view').focus()
  for (const key of ['Space', 'ArrowDown', 'Space', 'ArrowUp', 'End', 'Space']) await page.keyboard.press(key)
  await page.getByText('3 changes not saved yet').waitFor()
  await openFromSettings(page, 'Roles')
  await dialog('Leave without saving?').getByRole('button', { name: 'Cancel' }).click()
  await save('Helpdesk')
  expect(grantsOf('Helpdesk')).toEqual(['devices:execute', 'devices:read', 'sites:read'])
})

test('inherited permissions are ticked and explained, and previewed before the role is saved', async () => {
  await makeRole('Specialist', 'Helpdesk')
  await box('Devices: run. Inherited from Helpdesk.').waitFor()
  for (const name of ['view', 'add and change', 'delete']) await box(`People and roles: ${name}`).check()
  await save('Specialist')
  await makeRole('Lead')
  await choose('Inherits from', 'Specialist')
  await page.getByText('Added permissions: Devices (view, run)').waitFor()
  await look(page, 'role-inherits')
  await save('Lead')
  await page.goto(`/settings/roles/${idOf('Lead')}?permission=devices:execute`)
  await page.getByText('because it inherits from Helpdesk, through Specialist').waitFor()
  const pointedAt = box('Devices: run. Inherited from Helpdesk, through Specialist.')
  await pointedAt.press('Space')
  expect(await pointedAt.isChecked()).toBe(true)
})

test('a user cannot grant what their role does not allow, and a saved change reaches others at once', async () => {
  const id = await company.hire(mia)
  company.db.statement('UPDATE partner_users SET role_id = ? WHERE user_id = ?').run(idOf('Lead'), id)
  await page.goto(`/settings/roles/${idOf('Helpdesk')}`)
  await box('Devices: run').waitFor()
  const hers = await company.signIn(mia.email, `/settings/roles/${idOf('Helpdesk')}`)
  const locked = box('Scripts: run. Your role doesn’t have this permission, so you can’t grant it.', hers)
  await locked.press('Space')
  expect(await locked.isChecked()).toBe(false)
  await hers.getByRole('combobox', { name: 'Inherits from' }).click()
  const tooMuch = hers.getByRole('option', { name: /^Technician This role has permissions yours doesn’t/ })
  expect(await tooMuch.getAttribute('data-combobox-disabled')).toBe('true')
  await hers.keyboard.press('Escape')
  await look(hers, 'role-refused')
  await box('Devices: run', hers).uncheck()
  await save('Helpdesk', hers)
  await expect.poll(() => box('Devices: run').isChecked()).toBe(false)

  const setRole = (name: string) =>
    company.db.statement('UPDATE partner_users SET role_id = ? WHERE user_id = ?').run(idOf(name), id)
  const setStatus = (status: string) => company.db.statement('UPDATE users SET status = ? WHERE id = ?').run(status, id)
  await box('People and roles: view', hers).check()
  setRole('Partner Viewer')
  await button('Save', hers).click()
  await hers.getByRole('navigation').getByRole('link', { name: 'Roles' }).waitFor({ state: 'detached' })
  await button('Discard', hers).click()
  setStatus('disabled')
  await box('Devices: run').check()
  await save('Helpdesk')
  await hers.getByText('Your account isn’t active').waitFor()
  await look(hers, 'account-not-active')
  setStatus('active')
  setRole('Lead')
  await leave(hers)
})

test('permissions that nothing asks for are folded under "Not used yet", and found by a search or a link', async () => {
  await page.goto(`/settings/roles/${idOf('Helpdesk')}`)
  const unused = box('Quotes: view')
  await box('Devices: view').waitFor()
  expect(await unused.isVisible()).toBe(false)
  await button(/^Not used yet/).click()
  await page.getByText('No part of Homeport asks for these permissions').waitFor()
  await unused.waitFor()
  await look(page, 'role-not-used-yet')
  await page.getByRole('searchbox', { name: 'Search permissions' }).fill('quotes')
  await box('Devices: view').waitFor({ state: 'detached' })
  await unused.check()
  await save('Helpdesk')
  expect(grantsOf('Helpdesk')).toContain('quotes:read')
  await page.goto(`/settings/roles/${idOf('Helpdesk')}?permission=quotes:read`)
  await unused.waitFor()
  await page.getByText('itself permits Quotes: view. No part of Homeport asks for this permission.').waitFor()
})

test('a built-in role is copied', async () => {
  await page.goto(`/settings/roles/${idOf('Partner Viewer')}`)
  await page.getByText('Built-in roles can’t be changed').waitFor()
  await button('Copy…').click()
  await button('Copy').click()
  await page.getByRole('heading', { name: 'Copy of Viewer' }).waitFor()
  expect(grantsOf('Copy of Viewer')).toEqual(grantsOf('Partner Viewer'))
})

test('a role in use names what keeps it from being deleted, and an unused one is deleted', async () => {
  await button('Delete…').click()
  await button('Delete role').click()
  await noticeAppears(page, 'Copy of Viewer was deleted')
  await page.getByRole('link', { name: 'Lead', exact: true }).click()
  await button('Delete…').click()
  await dialog('Lead can’t be deleted yet').getByRole('link', { name: mia.name }).waitFor()
  await page.goto(`/settings/roles/${idOf('Specialist')}`)
  await button('Delete…').click()
  await look(page, 'role-in-use')
  await dialog('Specialist can’t be deleted yet').getByRole('link', { name: 'Lead' }).click()
  await page.getByRole('tab', { name: 'People (1)' }).waitFor()
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
