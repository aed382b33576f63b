import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { atLength } from '../helpers/thorough.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, enter, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'

/** The company settings: contact, formats of dates and times, business hours and the ticket system. */

const tom = { name: 'Tom Technician', email: 'tom@northwind.test', role: 'Partner Technician' }
const nora = { name: 'Nora Settings', email: 'nora@northwind.test', orgAccess: 'none' } as const
let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany()
  await company.hire(tom)
  page = await company.signIn(ada.email, '/settings/company')
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const form = (name: string, on = page) => on.getByRole('form', { name, exact: true })
const field = (label: string, on: Page | Locator = page) => on.getByLabel(label, { exact: true })
const save = (name: string) => form(name).getByRole('button', { name: 'Save' }).click()
const choose = async (label: string, option: string, on: Locator) => {
  await on.getByRole('combobox', { name: label }).click()
  await chooseOption(page.getByRole('option', { name: option }))
}
const settings = () =>
  JSON.parse(company.db.statement('SELECT settings FROM partners').pluck().get() as string) as Record<string, unknown>

/** The body of the next change sent to the server. */
const nextChange = async () => {
  const request = await page.waitForRequest((one) => one.method() === 'PATCH' && one.url().endsWith('/partners/me'))
  return request.postDataJSON() as unknown
}

test('only changed fields are sent, and an error appears under its field', async () => {
  await field('Billing email').fill('nobody')
  await save('Company')
  await form('Company').getByText('Enter an email address').waitFor()
  await field('Billing email').fill('books@northwind.test')
  const sent = nextChange()
  await save('Company')
  expect(await sent).toEqual({ billingEmail: 'books@northwind.test' })
  await noticeAppears(page, 'Company saved')

  const contact = form('Contact and address')
  await field('Website', contact).fill('no such place')
  await save('Contact and address')
  await contact.getByText('Enter the full address, for example https://example.com').waitFor()
  await look(page, 'company-general')
  await field('Website', contact).fill('northwind.test')
  await field('City', contact).fill('Ulm')
  expect(await field('Website', contact).inputValue()).toBe('https://northwind.test')
  await choose('Country', 'Germany', contact)
  const part = nextChange()
  await save('Contact and address')
  expect(await part).toEqual({
    settings: { contact: { website: 'https://northwind.test' }, address: { city: 'Ulm', country: 'DE' } },
  })
  await noticeAppears(page, 'Contact saved')
  expect(settings()).toMatchObject({ address: { city: 'Ulm', country: 'DE' } })
})

test('dates and times use the format that the company has chosen', async () => {
  const regional = form('Date and time')
  await field('Time zone', regional).fill('berlin')
  await chooseOption(page.getByRole('option', { name: 'Europe/Berlin' }))
  await choose('Date format', '2026-12-31, year first', regional)
  await choose('Time format', '17:30', regional)
  await save('Date and time')
  await noticeAppears(page, 'Date and time saved')
  expect(settings()).toMatchObject({ timezone: 'Europe/Berlin', dateFormat: 'YYYY-MM-DD', timeFormat: '24h' })
  await page.goto('/settings/people')
  const seen = page
    .getByRole('row', { name: /Ada Admin/ })
    .locator('time')
    .first()
  expect(await seen.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d, \d\d:\d\d:\d\d$/)
  await page.goto('/settings/profile')
  expect(await page.getByRole('radio', { name: '17:30' }).isChecked()).toBe(true)
})

test('own business hours are set day by day and may end on the next day', async () => {
  await page.goto('/settings/company')
  const hours = form('Business hours')
  await field('Custom hours', hours).check()
  await field('Friday, until', hours).fill('')
  await hours.getByRole('checkbox', { name: 'Saturday' }).check()
  await field('Saturday, from', hours).fill('22:00')
  await field('Saturday, until', hours).fill('02:00')
  await hours.getByText('Until the next day').waitFor()
  await save('Business hours')
  await hours.getByText('Enter both times').waitFor()
  await look(page, 'company-hours')
  await field('Friday, until', hours).fill('14:00')
  await save('Business hours')
  await noticeAppears(page, 'Business hours saved')
  expect(settings().businessHours).toMatchObject({
    preset: 'custom',
    custom: {
      mon: { start: '09:00', end: '17:00', closed: false },
      fri: { end: '14:00' },
      sat: { start: '22:00', end: '02:00', closed: false },
      sun: { closed: true },
    },
  })
  const odd = { ...settings(), businessHours: { preset: 'custom', custom: { mon: { start: '9', end: 'late' } } } }
  company.db.run(q.updateTable('partners').set({ settings: toJson(odd) }))
  await page.reload()
  await hours.getByRole('checkbox', { name: 'Friday' }).check()
  await field('Friday, until', hours).fill('14:00')
  await save('Business hours')
  await hours.getByText('Enter both times').waitFor()
  await look(page, 'company-hours-odd')
  await field('Monday, from', hours).fill('09:00')
  await field('Monday, until', hours).fill('17:30')
  await save('Business hours')
  await page.getByText('Business hours saved').waitFor()
  expect(settings().businessHours).toMatchObject({ custom: { mon: { start: '09:00', end: '17:30' } } })
  await field('Around the clock', hours).check()
  await save('Business hours')
  await expect.poll(() => settings().businessHours).toMatchObject({ preset: '24/7', custom: { fri: { end: '14:00' } } })
})

atLength('another ticket system can be chosen once one is connected', async () => {
  await virtualAuthenticator(page)
  const tickets = form('Tickets')
  await page.getByRole('button', { name: 'Connect' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect a ticket system' })
  await choose('Ticket system', 'Zendesk', dialog)
  await field('Name', dialog).fill('Help desk')
  await field('Address', dialog).fill('http://127.0.0.1')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('Enter an address that starts with https://').waitFor()
  await field('Address', dialog).fill('https://desk.invalid')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('Enter it').first().waitFor()
  await look(page, 'company-connect')
  await field('Account email', dialog).fill('desk@northwind.test')
  await field('API token', dialog).fill('not-a-real-token')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await enrolPasskey(page)
  await noticeAppears(page, 'Help desk connected')

  await actions('Test')
  await page.getByText('The server cannot be reached.').waitFor()
  await field('In another ticket system', tickets).check()
  await choose('Ticket system', 'Help desk (Zendesk)', tickets)
  await save('Tickets')
  await noticeAppears(page, 'Ticket system saved')
  await look(page, 'company-tickets')
  await page.getByRole('button', { name: 'Actions for Help desk' }).click()
  await page.getByRole('menuitem', { name: 'In use, can’t be removed' }).waitFor()
  await page.keyboard.press('Escape')
  // A click on the button while the menu is still open would close it.
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await actions('Pause')
  await page.getByText('Paused', { exact: true }).waitFor()

  await field('None', tickets).check()
  await save('Tickets')
  await expect.poll(() => partner().service_management_mode).toBe('off')
  expect(partner().service_management_psa_connection_id).toBe(null)
  await actions('Remove…')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('None connected.').waitFor()
})

const actions = async (name: string) => {
  await page.getByRole('button', { name: 'Actions for Help desk' }).click()
  // By the keyboard, because the notice covers the menu.
  await page.getByRole('menuitem', { name }).press('Enter')
}

const partner = () =>
  company.db
    .statement('SELECT service_management_mode, service_management_psa_connection_id FROM partners')
    .get() as Record<string, unknown>

test('switching tabs keeps what is typed', async () => {
  await page.goto('/settings/sign-in')
  await field('Allowed addresses and networks').fill('10.0.0.0/8')
  await page.getByRole('tab', { name: 'Sign-in page' }).click()
  await page.getByRole('tab', { name: 'Security' }).click()
  expect(await field('Allowed addresses and networks').inputValue()).toBe('10.0.0.0/8')
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/settings/people')
})

test('a user without the permission to change the company sees its settings read-only', async () => {
  const his = await company.signIn(tom.email, '/settings/company')
  await his.getByText('Read-only.').waitFor()
  expect(await field('City', his).inputValue()).toBe('Ulm')
  expect(await field('City', his).isEditable()).toBe(false)
  expect(await his.getByRole('button', { name: /Save|Connect/ }).count()).toBe(0)
  // Of a choice that cannot be changed, only what is chosen is shown.
  expect(await field('Custom hours', his).isVisible()).toBe(false)
  await look(his, 'company-general-read-only')
  await his.goto('/settings/sign-in?tab=page')
  await his.getByText('Preview').waitFor()
  expect(await his.getByRole('button', { name: /Save|Choose|Remove/ }).count()).toBe(0)
  await look(his, 'company-sign-in-read-only')
  await leave(his)
})

test('a member without organizations can edit the company settings and sees no organizations', async () => {
  await company.hire(nora)
  const hers = await company.visit()
  await enter(hers, nora.email)
  await hers.waitForURL('**/settings/company')
  const navigation = hers.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Company' }).waitFor()
  expect(await navigation.getByRole('link').allInnerTexts()).toEqual(['Audit log', 'Company'])
  expect(await hers.getByRole('button', { name: 'Add a device' }).count()).toBe(0)
  await field('City', hers).fill('Bonn')
  await form('Contact and address', hers).getByRole('button', { name: 'Save' }).click()
  await hers.getByText('Contact saved').waitFor()
  expect(settings()).toMatchObject({ address: { city: 'Bonn' } })
  expect(await hers.getByRole('button', { name: 'Connect' }).count()).toBe(0)
  await look(hers, 'company-settings-only')
  await openFromSettings(hers, 'Sign-in and SSO')
  await hers.getByRole('switch').first().waitFor()
  await look(hers, 'company-settings-only-security')
  await hers.getByRole('tab', { name: 'Sign-in page' }).click()
  await hers.getByRole('tabpanel', { name: 'Sign-in page' }).getByText('you need access to all').waitFor()
  expect(
    await hers
      .getByRole('tabpanel')
      .getByRole('button', { name: /Save|Choose|Remove/ })
      .count(),
  ).toBe(0)
  await look(hers, 'company-settings-only-sign-in')
  await hers.getByRole('tab', { name: 'Single sign-on' }).click()
  await hers.getByText('No identity provider yet').waitFor()
  expect(await hers.getByRole('link', { name: 'Add an identity provider' }).count()).toBe(0)
  for (const path of ['/devices', '/organizations', '/enrollment-keys', '/settings/api-keys', '/settings/people']) {
    await hers.goto(path)
    await hers.getByText('You don’t have access to this page').waitFor()
  }
  await leave(hers)
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
