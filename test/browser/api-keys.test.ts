import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** API keys: what the console shows of them, and what they give access to. */

const eve = { name: 'Eve Engineer', email: 'eve@northwind.test' }
let company: Company
let page: Page
let customers: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  customers = seedOrganizations(company.db, 2)
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (label: string) => page.getByLabel(label, { exact: true }).filter({ visible: true })
const dialog = (name: string) => page.getByRole('dialog', { name })
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
const choose = async (label: string, option: string) => {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await chooseOption(page.getByRole('option', { name: option, exact: true }))
}
const menuOf = async (name: string, entry: string) => {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: entry }).click()
}
const shownKey = async () => (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
/** A program that uses the key: it asks for the devices. */
const use = async (key: string) => {
  const answer = await fetch(`${company.numericOrigin}/api/v1/devices`, { headers: { 'x-api-key': key } })
  const body = (await answer.json()) as { data?: unknown[]; code?: string }
  return { status: answer.status, devices: body.data?.length, code: body.code }
}

let first = ''
let second = ''

test('a new key belongs to one organization and is shown once, in a dialog that only its button closes until it is copied', async () => {
  await openFromSettings(page, 'API keys')
  await page.getByText('No API keys').waitFor()
  await look(page, 'api-keys-none')
  await button('New key').first().click()
  await expect.poll(() => field('Name').evaluate((input) => input === document.activeElement)).toBe(true)
  await button('Create').click()
  await page.getByText('Choose at least one', { exact: true }).waitFor()
  await field('Name').fill('Nightly inventory')
  await page.keyboard.press('Escape')
  await dialog('Leave without saving?').getByRole('button', { name: 'Cancel' }).click()
  await choose('Organization', 'Harbour Logistics 1')
  await field('View devices').check()
  await choose('Expires', '90 days')
  await look(page, 'api-keys-create')
  await button('Create').click()
  await dialog('Key “Nightly inventory').waitFor()
  await page.keyboard.press('Escape')
  first = await shownKey()
  expect(first).toMatch(/^svc_[\w-]{32}$/)
  expect(await page.getByLabel('Command to try the key').textContent()).toBe(
    `curl -H 'X-API-Key: ${first}' ${new URL(page.url()).origin}/api/v1/devices`,
  )
  await look(page, 'api-keys-shown')
  await page.mouse.click(5, 5)
  expect(await use(first)).toMatchObject({ status: 200, devices: 6 })
  await page.evaluate(() => history.go(-2))
  await dialog('Leave without saving?').getByText('The key won’t be shown again.').waitFor()
  await dialog('Leave without saving?').getByRole('button', { name: 'Cancel' }).click()
  await dialog('Key “Nightly inventory').getByRole('button', { name: 'Copy key' }).click()
  await button('Copied').waitFor()
  // Escape closes what is copied.
  await page.keyboard.press('Escape')
  await dialog('Key “Nightly inventory').waitFor({ state: 'detached' })
  await row('Nightly inventory').getByText('1 call').waitFor()
  const kept = () =>
    page.evaluate(() => [location.href, document.documentElement.outerHTML, localStorage, sessionStorage])
  expect(JSON.stringify(await kept())).not.toContain(first)
})

test('after a rotation the old key answers 401 and the new one is shown once', async () => {
  await menuOf('Nightly inventory', 'Rotate…')
  await dialog('Rotate Nightly inventory?').getByText('stops working immediately').waitFor()
  await look(page, 'api-keys-rotate')
  await button('Rotate key').click()
  await dialog('Key “Nightly inventory').getByText('the former one no longer works').waitFor()
  second = await shownKey()
  await button('Done').click()
  expect((await use(first)).status).toBe(401)
  expect((await use(second)).status).toBe(200)
})

test('a key is renamed and limited, and found by its full text, of which the address keeps only the prefix', async () => {
  await menuOf('Nightly inventory', 'Edit…')
  await field('Name').fill('Weekly inventory')
  await field('Calls per hour').fill('50')
  await look(page, 'api-keys-edit')
  await button('Save').click()
  await row('Weekly inventory').getByText('50 calls per hour').waitFor()
  await page.getByRole('searchbox').fill(second)
  await page.waitForURL(`**search=${second.slice(0, 12)}`)
  await row('Weekly inventory').waitFor()
  await page.getByRole('searchbox').fill('nothing of that name')
  await page.getByText('No keys match').waitFor()
  await button('Clear filters').click()
})

test('scopes that the role of the creator does not allow are disabled and explained', async () => {
  const id = await company.hire({ ...eve, role: 'Partner Technician' })
  company.db
    .statement(
      `INSERT OR IGNORE INTO role_permissions (role_id, permission_id)
       SELECT role_id, permissions.id FROM partner_users, permissions
       WHERE user_id = ? AND resource = 'organizations' AND action IN ('read', 'write')`,
    )
    .run(id)
  const adas = page
  page = await company.signIn(eve.email, '/settings/api-keys?create=key')
  await page.getByText('Your role doesn’t allow this: People and roles: view.').waitFor()
  expect(await field('View people').isDisabled()).toBe(true)
  await look(page, 'api-keys-not-held')
  await field('Name').fill('Dashboard')
  await choose('Organization', 'Lantern Logistics 2')
  await field('View devices').check()
  await choose('Expires', 'No expiry')
  await button('Create').click()
  await button('Done').click()
  await row('Dashboard').getByText('Never expires').waitFor()
  await leave(page)
  page = adas
})

test('adding a scope that the creator of the key does not hold is refused in view', async () => {
  await page.goto('/settings/api-keys')
  await menuOf('Dashboard', 'Edit…')
  await field('View people').check()
  await button('Save').click()
  const refusal = dialog('Edit Dashboard').getByText('The person who created this key doesn’t have that permission.')
  await refusal.waitFor()
  const isInSight = (shown: Element) => {
    const { x, y } = shown.getBoundingClientRect()
    return shown.contains(document.elementFromPoint(x + 5, y + 5))
  }
  await expect.poll(() => refusal.evaluate(isInSight)).toBe(true)
  await page.keyboard.press('Escape')
  await button('Leave').click()
})

test('scopes that open nothing are not offered, and shown as such on keys that have one', async () => {
  await page.goto('/settings/api-keys?create=key')
  await field('View devices').waitFor()
  expect(await field('View alerts').count()).toBe(0)
  await page.keyboard.press('Escape')
  company.db
    .statement("UPDATE api_keys SET scopes = ? WHERE name = 'Weekly inventory'")
    .run(JSON.stringify(['devices:read', 'alerts:read']))
  await page.reload()
  await row('Weekly inventory').getByText('View devices; not used yet: view alerts').waitFor()
  await menuOf('Weekly inventory', 'Edit…')
  await dialog('Edit Weekly inventory').getByText('No part of Homeport asks for these.').waitFor()
  await look(page, 'api-keys-not-used')
  await field('View alerts').uncheck()
  await button('Save').click()
  await row('Weekly inventory').getByText('not used yet').waitFor({ state: 'detached' })
})

test('a key of a disabled creator explains itself, and a revoked key answers 401', async () => {
  company.db.run(q.updateTable('users').set({ status: 'disabled' }).where('email', '=', eve.email))
  await page.goto('/settings/api-keys')
  await row('Dashboard')
    .getByText('The account of Eve Engineer, who created it, is disabled. Create a new key')
    .waitFor()
  await look(page, 'api-keys')
  await menuOf('Weekly inventory', 'Revoke…')
  await dialog('Revoke Weekly inventory?').getByText('It allowed them in Harbour Logistics 1: view devices.').waitFor()
  await look(page, 'api-keys-revoke')
  await button('Revoke key').click()
  await row('Weekly inventory').getByText('Revoked').waitFor()
  expect(await use(second)).toEqual({ status: 401, devices: undefined, code: 'invalid_api_key' })
  await menuOf('Weekly inventory', 'History')
  await row('Revoked an API key').waitFor()
  await row('Created an API key').getByRole('link').click()
  // The log uses its current name.
  await dialog('Created an API key').getByRole('link', { name: 'Weekly inventory' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog('Created an API key').waitFor({ state: 'detached' })
  await page.goto('/settings/api-keys')
  await page.getByText('Active', { exact: true }).first().click()
  await page.waitForURL('**status=active')
  await row('Weekly inventory').waitFor({ state: 'detached' })
  await page.goto(`/organizations/${customers[1]?.id}`)
  await row('Dashboard').getByText('Refused').waitFor()
})
