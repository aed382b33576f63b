import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The audit log: searched, filtered, followed live, opened, exported and checked. */

const events = 60
let company: Company
let page: Page
let customer: SeededOrganization

beforeAll(async () => {
  company = await startCompany()
  customer = seedOrganizations(company.db, 2)[0] as SeededOrganization
  page = await company.signIn(ada.email)
  bearer = await token()
  await happen(events)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const row = (name: string | RegExp) => page.getByRole('row', { name })
const rows = () => page.getByRole('table').locator('tbody tr').count()
const token = async () => {
  const reply = await page.request.post('/api/v1/auth/login', { data: { email: ada.email, password: 'Correct1Horse' } })
  return ((await reply.json()) as { tokens: { accessToken: string } }).tokens.accessToken
}

let bearer = ''
/** Triggers of the database refuse changes of events, so this removes them first, as an attacker would. */
const tamper = () => {
  company.db.statement('DROP TRIGGER audit_logs_no_update').run()
  company.db.statement("UPDATE audit_logs SET resource_name = 'Elsewhere' WHERE resource_name = 'Site 7'").run()
}

/** The same person works in another browser. */
const happen = (times: number, name = 'Site') =>
  Promise.all(
    Array.from({ length: times }, async (_, n) => {
      const reply = await page.request.post('/api/v1/orgs/sites', {
        headers: { authorization: `Bearer ${bearer}` },
        data: { orgId: customer.id, name: `${name} ${n + 1}`, timezone: 'UTC' },
      })
      expect(reply.status()).toBe(201)
    }),
  )

test('events are listed page by page in plain words, and counted on request', async () => {
  await page.getByRole('link', { name: 'Audit log' }).click()
  await row(/Created a site/)
    .first()
    .waitFor()
  await expect.poll(rows).toBe(50)
  await look(page, 'audit-log')
  await button('Count').click()
  await page.getByText(/^1–50 of 6\d events$/).waitFor()
  await happen(1, 'Meanwhile')
  await button('1 new event').click()
  await row(/Meanwhile 1/).waitFor()
  await button('Older').click()
  await page.getByText(/^51–6\d of 6\d events$/).waitFor()
  await row(/Signed in/)
    .first()
    .waitFor()
})

test('new events appear at the top, but wait while the list is paused, scrolled or under a moving pointer', async () => {
  await button('Newer').click()
  await row(/Meanwhile 1/).waitFor()
  await page.getByLabel('Live').uncheck()
  await happen(2, 'Paused')
  await button('2 new events').waitFor()
  expect(await row(/Paused/).count()).toBe(0)
  await button('2 new events').click()
  await row(/Paused 1/).waitFor()
  await page.getByLabel('Live').check()
  await happen(1, 'Live')
  await row(/Live 1/).waitFor()
  // No row moves while the pointer does.
  let x = 500
  const hand = setInterval(() => void page.mouse.move(x++, 400), 100)
  await happen(1, 'Pointed')
  await button('1 new event').waitFor()
  expect(await row(/Pointed 1/).count()).toBe(0)
  clearInterval(hand)
  await row(/Pointed 1/).waitFor()
  await page.mouse.wheel(0, 600)
  await happen(1, 'Below')
  await button('1 new event').click()
  await row(/Below 1/).waitFor()
})

test('a click on a cell filters the list, the address keeps the filter, and an event opens with its changes', async () => {
  const site = company.db.statement('SELECT id FROM sites WHERE name = ?').pluck().get('Below 1')
  const headers = { authorization: `Bearer ${bearer}` }
  await page.request.patch(`/api/v1/orgs/sites/${site}`, { headers, data: { name: 'Beyond' } })
  const role = await page.request.post('/api/v1/roles', {
    headers,
    data: { name: 'Night watch', scope: 'partner', permissions: [{ resource: 'devices', action: 'read' }] },
  })
  expect(role.status()).toBe(201)
  const { id } = (await role.json()) as { id: string }
  const changed = await page.request.patch(`/api/v1/roles/${id}`, { headers, data: { name: 'Night shift' } })
  expect(changed.status()).toBe(200)
  await row(/Changed a role/)
    .getByRole('link', { name: 'Changed a role' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Changed a role' }).click()
  await page.waitForURL(/action=role.update/)
  await expect.poll(rows).toBe(1)
  await page.goBack()
  await page.getByRole('dialog', { name: 'Changed a role' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(rows).toBe(50)
  await row(/Created a site .*Harbour Logistics 1/)
    .first()
    .waitFor()
  await page.goForward()
  // The filters stay folded and are named, each to be removed.
  await button('Remove filter Action: Changed a role').waitFor()
  await button('Filters (1)').click()
  await button('Last hour').click()
  await page.waitForURL(/from=/)
  await expect.poll(rows).toBe(1)
  await look(page, 'audit-log-narrowed')
  await row(/Changed a role/)
    .getByRole('link')
    .click()
  const drawer = page.getByRole('dialog', { name: 'Changed a role' })
  await drawer.getByRole('row', { name: 'Name Night watch Night shift' }).waitFor()
  await look(page, 'audit-log-event')
  await page.reload()
  await drawer.getByRole('row', { name: 'Name Night watch Night shift' }).waitFor()
  await page.keyboard.press('Escape')
  await button('Clear filters').click()
  await button('Filters').click()
  await page.getByRole('combobox', { name: 'Result' }).click()
  await chooseOption(page.getByRole('option', { name: 'Refused' }))
  await page.waitForURL(/result=denied/)
  await page.getByText('No events match').waitFor()
  await button('Clear filters').last().click()
  await row(/Changed a role/)
    .getByRole('link')
    .focus()
  await page.keyboard.press('Enter')
  await drawer.waitFor()
  await page.keyboard.press('j')
  const older = page.getByRole('dialog', { name: 'Created a role' })
  await older.getByRole('row', { name: 'Permissions – Devices: view' }).waitFor()
  await page.keyboard.press('k')
  // There is no newer event; the button of the page behind the drawer is not meant.
  await page.keyboard.press('k')
  await drawer.waitFor()
  expect(await drawer.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
})

test('what is done again and again is one entry that opens in place, and pages count events', async () => {
  const site = company.db.statement('SELECT id FROM sites WHERE name = ?').pluck().get('Beyond')
  const headers = { authorization: `Bearer ${bearer}` }
  for (const n of [1, 2, 3])
    await page.request.patch(`/api/v1/orgs/sites/${site}`, { headers, data: { name: `Again ${n}` } })
  const entry = row(/Changed a site .*Again 3/)
  // Beyond, and these.
  await entry.getByRole('button', { name: '4 times' }).click()
  await row(/Again 1/).waitFor()
  expect(await row(/Changed a site/).count()).toBe(5)
  await look(page, 'audit-log-unfolded')
  await row(/Again 2/)
    .getByRole('link')
    .click()
  const drawer = page.getByRole('dialog', { name: 'Changed a site' })
  await drawer.getByRole('row', { name: 'Name Again 1 Again 2' }).waitFor()
  await page.keyboard.press('Escape')
  // An open entry holds the list.
  await happen(1, 'Held')
  await button('1 new event').click()
  await row(/Held 1/).waitFor()
  await page.getByText(/^1–53 of many events$/).waitFor()
})

test('the filtered events are exported as CSV, and the export is recorded', async () => {
  await page.getByRole('searchbox').fill('Paused')
  await expect.poll(rows).toBe(2)
  await button('Export…').click()
  const dialog = page.getByRole('dialog', { name: 'Export events' })
  await dialog.getByText('2 events: those that match your filters.').waitFor()
  await look(page, 'audit-log-export')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
  // The byte order mark tells a spreadsheet that the file is UTF-8.
  expect(lines[0]).toMatch(/^\uFEFFid,timestamp,/)
  expect(lines.slice(1).filter((line) => line.includes('"Paused')).length).toBe(2)
  expect(lines.length).toBe(3)
  await button('Clear filters').click()
  await row(/Exported the audit log/).waitFor()
})

test('the check of the chains finds and explains a changed event', async () => {
  await page.getByRole('tab', { name: 'Integrity' }).click()
  await button('Check now').click()
  await page.getByText(/^The log is intact/).waitFor()
  tamper()
  await button('Check now').click()
  await page.getByText('1 of 2 chains of events is broken.').waitFor()
  await page.getByText('An event was changed after it was written.').waitFor()
  await look(page, 'audit-log-broken')
  await page.getByRole('tab', { name: 'Events' }).click()
  await page.getByRole('note').getByRole('link', { name: 'Show details' }).click()
  await page.getByRole('table').getByRole('link').click()
  const drawer = page.getByRole('dialog', { name: 'Created a site' })
  await drawer.getByText('This event was changed after it was written.').waitFor()
  await look(page, 'audit-log-misfit')
})

test('the history of a person shows what they did and what was done to them', async () => {
  const eve = { name: 'Eve Engineer', email: 'eve@northwind.test' }
  const id = await company.hire(eve)
  const roleId = findBuiltInRole(company.db, 'Partner Viewer', 'partner')
  await company.signIn(eve.email).then((hers) => leave(hers))
  const headers = { authorization: `Bearer ${bearer}` }
  const moved = await page.request.post(`/api/v1/users/${id}/role`, { headers, data: { roleId } })
  expect(moved.status()).toBe(200)
  await page.goto(`/settings/people/${id}`)
  await page.getByRole('link', { name: 'History' }).click()
  await row(/Eve Engineer .*Signed in/).waitFor()
  await row(/Ada Admin .*Changed someone’s role/).waitFor()
})

test('an organization links to its history, and its settings say how long events are kept', async () => {
  await page.goto(`/organizations/${customer.id}?tab=settings`)
  await page.getByLabel('Retention (days)').fill('90')
  const panel = page.getByRole('form', { name: 'Audit log' })
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Older events: none.').waitFor()
  await button('Shorten retention').click()
  await noticeAppears(page, `Events of ${customer.name} are kept for 90 days`)
  await page.getByRole('link', { name: 'History' }).click()
  await row(/Changed audit log retention/).waitFor()
  expect(await row(/Signed in/).count()).toBe(0)
})

test('on a phone a tap on the title of a card opens the event, and a history names its target', async () => {
  const role = company.db.statement('SELECT id FROM roles WHERE name = ?').pluck().get('Night shift')
  await page.setViewportSize({ width: 390, height: 844 })
  try {
    // The name is that of its events, where the link does not say it.
    await page.goto(`/audit?resource=${role}`)
    await button('Remove filter Target: Night shift').waitFor()
    expect(await page.getByLabel('Target', { exact: true }).isVisible()).toBe(false)
    await row(/Changed a role/)
      .getByText('Changed a role')
      .click()
    await page.getByRole('dialog', { name: 'Changed a role' }).waitFor()
    expect(new URL(page.url()).searchParams.get('action')).toBeNull()
    await page.keyboard.press('Escape')
    await button('Remove filter Target: Night shift').click()
    await page.waitForURL((url) => !url.searchParams.has('resource'))
    await button('Filters').waitFor()
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 })
  }
})
