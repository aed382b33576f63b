import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'

/** A platform admin manages the companies on the appliance. */

const olga = { name: 'Olga Operator', email: 'olga@platform.test' }
let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany()
  const id = await company.hire(olga)
  company.db.statement('DELETE FROM partner_users WHERE user_id = ?').run(id)
  company.db.statement('UPDATE users SET is_platform_admin = 1 WHERE id = ?').run(id)
  page = await company.signIn(olga.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (label: string) => page.getByLabel(label, { exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const partner = () =>
  company.db.statement("SELECT * FROM partners WHERE name LIKE 'Contoso%'").get() as Record<string, unknown>

test('a company is created with a short name of its own', async () => {
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.getByRole('link', { name: 'Northwind Traders' }).waitFor()
  await button('New company').click()
  await field('Name').fill('Contoso Cloud')
  await field('Short name').fill('northwind-traders')
  await look(page, 'companies-new')
  await button('Create').click()
  await page.getByText('Another company uses that short name.').waitFor()
  expect(await field('Short name').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
  await field('Short name').fill('')
  await field('Device limit').fill('25')
  await button('Create').click()
  await page.getByRole('heading', { name: 'Contoso Cloud' }).waitFor()
  expect(partner()).toMatchObject({ slug: 'contoso-cloud', max_devices: 25, status: 'active', plan: 'free' })
  await page.getByText('Nobody belongs to this company yet').waitFor()
  await look(page, 'company-details')
  await button('Invite first administrator').click()
  await field('Email').fill('first@contoso.test')
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Fred First')
  await expect.poll(() => page.getByRole('combobox', { name: 'Role' }).inputValue()).toBe('Administrator')
  await button('Invite').click()
  await button('Done').click()
  await page.getByRole('link', { name: 'Fred First' }).click()
  await page.getByText('All organizations of the company').waitFor()
  await button('Disable account…').click()
  await look(page, 'account-disable')
  await button('Disable account').click()
  await page.getByText('Disabled by the operator of this appliance').waitFor()
  await button('Enable account').click()
  await button('Invite again').click()
  await button('Done').click()
  await page.getByRole('link', { name: 'Contoso Cloud' }).click()
  await page.getByRole('heading', { name: 'Contoso Cloud' }).waitFor()
  await page.getByRole('link', { name: 'Companies', exact: true }).first().click()
  await page.getByText('2 companies').waitFor()
  await look(page, 'companies')
})

test('a platform admin sees, explains and creates the roles of a company', async () => {
  await page.getByRole('link', { name: 'Contoso Cloud' }).click()
  await page.getByRole('link', { name: 'Roles', exact: true }).click()
  await page
    .getByRole('row', { name: /^Administrator/ })
    .getByText('Contoso Cloud')
    .waitFor()
  await look(page, 'company-roles')
  await page.getByRole('link', { name: '1 person with the role Administrator' }).click()
  await page.getByRole('link', { name: 'Fred First' }).click()
  await page.getByRole('combobox', { name: 'Why can Fred First do this?' }).click()
  await chooseOption(page.getByRole('option', { name: 'Devices: run' }))
  await page.getByText('as it includes every permission').waitFor()
  await page.getByText('itself permits').getByRole('link', { name: 'Administrator' }).click()
  await page.getByText('For people of Contoso Cloud.').waitFor()
  await page.getByRole('link', { name: 'Roles', exact: true }).click()
  await button('New role').click()
  await field('Name').fill('viewer')
  await button('Create').click()
  await page.getByText('Another role has this name').waitFor()
  await field('Name').fill('Cashier')
  await button('Create').click()
  await page.getByRole('heading', { name: 'Cashier' }).waitFor()
  expect(company.db.statement("SELECT partner_id FROM roles WHERE name = 'Cashier'").get()).toEqual({
    partner_id: partner().id,
  })
  await button('Delete…').click()
  await button('Delete role').click()
  await noticeAppears(page, 'Cashier was deleted')
  await page.getByRole('link', { name: 'Companies', exact: true }).click()
})

test('a change of a company asks for the second factor and sends only what was changed', async () => {
  await virtualAuthenticator(page)
  await page.getByRole('link', { name: 'Contoso Cloud' }).click()
  await page.getByRole('combobox', { name: 'Plan' }).click()
  await chooseOption(page.getByRole('option', { name: 'Pro', exact: true }))
  await field('Device limit').fill('')
  await page.getByRole('form', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
  await enrolPasskey(page)
  await noticeAppears(page, 'Contoso Cloud saved')
  expect(partner()).toMatchObject({ slug: 'contoso-cloud', max_devices: null, plan: 'pro' })
  await page.getByText('No organizations yet.').waitFor()
})

test('a status explains its effect before it is set', async () => {
  await field('Closing').check()
  await button('Change status…').click()
  const question = dialog('Close Contoso Cloud and remove all its agents?')
  await question.getByText('is removed from all the company’s devices').waitFor()
  await look(page, 'company-closing')
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(partner().status).toBe('active')
  await field('Suspended').check()
  await button('Change status…').click()
  await dialog('Suspend Contoso Cloud?').getByRole('button', { name: 'Suspend' }).click()
  await expect.poll(() => partner().status).toBe('suspended')
  await field('Closing').check()
  await button('Change status…').click()
  await question.getByRole('button', { name: 'Close company' }).click()
  await page.getByText('Closing since').waitFor()
  await look(page, 'company-is-closing')
})

test('a company is deleted once its name is typed', async () => {
  await button('Remove company…').click()
  await field('Type Contoso Cloud to confirm').fill('Contoso')
  await look(page, 'company-remove')
  expect(await button('Remove').isEnabled()).toBe(false)
  await page.keyboard.press('Enter')
  await field('Type Contoso Cloud to confirm').fill('Contoso Cloud')
  await button('Remove').click()
  await page.waitForURL('**/companies')
  await page.getByText('1 company').waitFor()
  expect(partner().deleted_at).not.toBe(null)
})

test('the page of a company leads to its organizations', async () => {
  const { id } = company.db.statement("SELECT id FROM partners WHERE name LIKE 'Northwind%'").get() as { id: string }
  await page.goto('/organizations?create=organization')
  await page.getByRole('combobox', { name: 'Company' }).click()
  await chooseOption(page.getByRole('option', { name: 'Northwind Traders' }))
  await field('Name').fill('Head office')
  await button('Create').click()
  await page.getByRole('heading', { name: 'Head office' }).waitFor()
  await page.goto(`/companies/${id}`)
  await page.getByRole('main').getByRole('link', { name: 'Head office' }).click()
  await page.getByRole('heading', { name: 'Head office' }).waitFor()
})

test('people of a company see no list of companies', async () => {
  const hers = await company.signIn(ada.email)
  expect(await hers.getByRole('link', { name: 'Companies' }).count()).toBe(0)
  await hers.goto('/companies')
  await hers.getByText('You don’t have access to this page').waitFor()
  await leave(hers)
})

test('suspending a company tells its people why, and they can sign in again once it is active', async () => {
  const { partnerId, db } = company
  const words = { statusMessage: 'The last invoice is open.', statusActionUrl: 'https://billing.test/northwind' }
  db.statement('UPDATE partners SET settings = json_patch(settings, ?) WHERE id = ?').run(
    JSON.stringify({ ...words, statusActionLabel: 'Pay it' }),
    partnerId,
  )
  const hers = await company.signIn(ada.email)
  await page.goto(`/companies/${partnerId}`)
  await field('Suspended').check()
  await button('Change status…').click()
  await dialog('Suspend Northwind Traders?').getByRole('button', { name: 'Suspend' }).click()
  await hers.waitForURL('**/account/inactive')
  await hers.getByText('The last invoice is open.').waitFor()
  const pay = hers.getByRole('link', { name: 'Pay it' })
  expect(await pay.getAttribute('href')).toBe('https://billing.test/northwind')
  await look(hers, 'account-suspended')
  await hers.getByRole('button', { name: 'Check again' }).click()
  await expect.poll(() => new URL(hers.url()).pathname).toBe('/account/inactive')
  await field('Active').check()
  await button('Change status…').click()
  await dialog('Make Northwind Traders active?').getByRole('button', { name: 'Make active' }).click()
  await expect
    .poll(() => db.statement('SELECT status FROM partners WHERE id = ?').pluck().get(partnerId))
    .toBe('active')
  await hers.getByRole('button', { name: 'Check again' }).click()
  await hers.waitForURL('**/login?**')
  await leave(hers)
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
