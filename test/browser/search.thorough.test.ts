import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The search of the whole console, by keyboard alone. */

let company: Company
let page: Page
let harbour: SeededOrganization
let alder: SeededOrganization

beforeAll(async () => {
  company = await startCompany()
  const { db } = company
  const seeded = seedOrganizations(db, 30)
  const [one, , three] = seeded as [SeededOrganization, SeededOrganization, SeededOrganization]
  harbour = one
  alder = three
  const [deviceId = ''] = harbour.sites[0]?.deviceIds ?? []
  const now = new Date().toISOString()
  db.run(q.updateTable('devices').set({ display_name: 'Reception', last_user: 'nora' }).where('id', '=', deviceId))
  db.run(q.insertInto('device_hardware').values({ device_id: deviceId, serial_number: 'PF-4X9Q2', updated_at: now }))
  const contact = { id: randomUUIDv7(), org_id: alder.id, name: 'Cleo Winter', email: 'cleo@alder.test' }
  db.run(q.insertInto('contacts').values({ ...contact, created_at: now, updated_at: now }))
  await company.hire({ name: 'Wanda Winter', email: 'wanda@northwind.test' })
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const soon = <T>(read: () => T) => expect.poll(read)
const dialog = () => page.getByRole('dialog', { name: 'Search', exact: true })
const field = () => dialog().getByRole('combobox', { name: 'Search' })
const path = () => new URL(page.url()).pathname
const focused = () =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return element?.ariaLabel ?? element?.id ?? ''
  })

async function openSearch() {
  await page.keyboard.press('Control+k')
  await field().waitFor()
  await soon(focused).toBe('Search')
}

/** What a screen reader reads: the groups with their options. */
const groups = async () => {
  const all = await dialog().getByRole('group').all()
  return Object.fromEntries(
    await Promise.all(
      all.map(async (group) => {
        const label = await group.evaluate(
          (element) => document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent,
        )
        return [label, await group.getByRole('option').allInnerTexts()]
      }),
    ),
  )
}

/** The option that Enter opens, as the field tells it to a screen reader. */
const active = () =>
  field().evaluate((input) => {
    const option = document.getElementById(input.getAttribute('aria-activedescendant') ?? '')
    const isMarked = option?.getAttribute('aria-selected') === 'true'
    return isMarked ? option?.innerText.split('\n')[0] : 'nothing'
  })

async function goTo(address: string, heading: string) {
  await page.goto(address)
  await page.getByRole('heading', { name: heading }).first().waitFor()
}

test('Ctrl+K opens the search from anywhere, also while typing, and Escape gives the focus back', async () => {
  await goTo('/devices', 'Devices')
  await page.keyboard.press('/')
  await page.keyboard.type('rec')
  await openSearch()
  await look(page, 'search-empty')
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  await soon(focused).toMatch(/^Search name/)
  expect(await page.getByRole('searchbox').inputValue()).toBe('rec')
  await openSearch()
  await page.keyboard.press('Control+k')
  await dialog().waitFor({ state: 'detached' })
})

test('a device is found by its serial number and opened with Enter, before the answer is there', async () => {
  await goTo('/organizations', 'Organizations')
  await openSearch()
  await page.keyboard.type('pf-4x')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Reception' }).waitFor()
  await soon(focused).toBe('main')
  expect(path()).toBe(`/devices/${harbour.sites[0]?.deviceIds[0]}`)
  await page.goBack()
  await page.getByRole('heading', { name: 'Organizations' }).first().waitFor()
  expect(await dialog().count(), 'the dialog is not in the history').toBe(0)
})

test('results come by kind, each with what tells it from others, and the arrow keys go through all of them', async () => {
  await goTo('/devices', 'Devices')
  await openSearch()
  await page.keyboard.type('winter')
  await soon(groups).toEqual({
    People: [expect.stringMatching(/^Wanda Winter\s+wanda@northwind.test$/)],
    Contacts: [expect.stringMatching(/^Cleo Winter\s+cleo@alder.test · Alder Logistics 3$/)],
  })
  await dialog().getByText('2 results').waitFor()
  await look(page, 'search-results')
  await soon(active).toBe('Wanda Winter')
  await page.keyboard.press('ArrowDown')
  await soon(active).toBe('Cleo Winter')
  await page.keyboard.press('ArrowDown')
  await soon(active).toBe('Wanda Winter')
  await page.keyboard.press('ArrowUp')
  await soon(active).toBe('Cleo Winter')

  // Home and End are for the text.
  await page.keyboard.press('Home')
  await page.keyboard.type('x')
  expect(await field().inputValue()).toBe('xwinter')
  await dialog().getByText('Nothing matches “xwinter”.').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('nora')
  await soon(groups).toEqual({ Devices: [expect.stringMatching(/^Reception\s+Last user nora · Harbour/)] })
})

test('pages are offered at once, by the beginning of a word', async () => {
  await goTo('/devices', 'Devices')
  await openSearch()
  await page.keyboard.type('aud')
  await soon(groups).toMatchObject({ Pages: ['Audit log'] })
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit log' }).first().waitFor()
  await openSearch()
  await page.keyboard.type('dit')
  await dialog().getByText('Nothing matches “dit”.').waitFor()
  await page.keyboard.press('Escape')
})

test('an organization opens without changing what lists are filtered by', async () => {
  await goTo('/devices?status=offline', 'Devices')
  await openSearch()
  await page.keyboard.type('alder logistics 3')
  await soon(active).toBe('Alder Logistics 3')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Alder Logistics 3' }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  await goTo('/devices', 'Devices')
  await soon(() => page.getByRole('button', { name: /^Organization / }).innerText()).toContain('All organizations')
})

test('a site leads to its devices, a person to their page, a contact to its organization', async () => {
  await openSearch()
  await page.keyboard.type('wareh')
  await soon(groups).toMatchObject({ Sites: expect.arrayContaining([expect.stringContaining('Harbour Logistics 1')]) })
  const target = dialog().getByRole('option', { name: /^Warehouse\s*Harbour Logistics 1$/ })
  const id = await target.getAttribute('id')
  while ((await field().getAttribute('aria-activedescendant')) !== id) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Harbour Logistics 1' }).waitFor()
  await page.getByRole('link', { name: 'warehouse-pc-1' }).waitFor()
  expect(await page.getByRole('link', { name: 'head-office-pc-2' }).count()).toBe(0)

  await openSearch()
  await page.keyboard.type('wanda')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Wanda Winter' }).waitFor()
  await openSearch()
  await page.keyboard.type('cleo')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Alder Logistics 3' }).waitFor()
  expect(path()).toBe(`/organizations/${alder.id}`)
})

test('what was opened last comes first while nothing is typed, and the open page is not among it', async () => {
  await goTo('/devices', 'Devices')
  await openSearch()
  const { 'Recently opened': recent } = await groups()
  expect(recent?.slice(0, 2)).toEqual(['Alder Logistics 3', 'Cleo Winter'])
  expect(recent).toContain('Reception')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Alder Logistics 3' }).waitFor()
  await openSearch()
  expect((await groups())['Recently opened']).not.toContain('Alder Logistics 3')
  await page.keyboard.press('Escape')
})

test('actions on the open device are offered, and done from the dialog', async () => {
  await goTo(`/devices/${harbour.sites[0]?.deviceIds[0]}`, 'Reception')
  await openSearch()
  expect((await groups())['On this page']).toEqual([
    'Run script',
    'Refresh inventory',
    'Restart',
    'Shut down',
    'Change display name',
    'Move…',
    'Maintenance…',
  ])
  await look(page, 'search-actions')
  await page.keyboard.type('rename')
  await soon(active).toBe('Change display name')
  await page.keyboard.press('Enter')
  const rename = page.getByRole('dialog', { name: 'Rename Reception' })
  await rename.waitFor()
  await soon(() => rename.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await rename.waitFor({ state: 'detached' })

  await openSearch()
  await page.keyboard.type('refresh')
  await page.keyboard.press('Enter')
  // What runs on a device asks for a second factor, and she has none yet.
  const proof = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
  await proof.waitFor()
  await page.keyboard.press('Escape')
  await proof.waitFor({ state: 'detached' })

  await goTo('/devices', 'Devices')
  await openSearch()
  expect(Object.keys(await groups()), 'not on other pages').not.toContain('On this page')
  await page.keyboard.press('Escape')
})

test('the open organization offers a new site', async () => {
  await goTo(`/organizations/${alder.id}`, 'Alder Logistics 3')
  await openSearch()
  await page.keyboard.type('new site')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New site' }).waitFor()
  await page.keyboard.press('Control+k')
  expect(await dialog().count(), 'not over another dialog').toBe(0)
  await page.keyboard.press('Escape')
})

test('tabs and the history of what is open are offered for a text, on every page with tabs', async () => {
  const enter = async (text: string, url: string) => {
    await openSearch()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await page.waitForURL(url)
  }
  await goTo(`/organizations/${alder.id}`, 'Alder Logistics 3')
  await enter('groups', '**?tab=groups')
  await page.getByRole('tab', { name: 'Groups', selected: true }).waitFor()
  await enter('overview', `**/organizations/${alder.id}`)
  await enter('history', `**/audit?org=${alder.id}`)
  await enter('integrity', '**/audit?*tab=chains*')
  await goTo('/settings/profile', 'Your profile')
  await enter('sessions', '**?tab=sessions')
})

test('an appliance that does not answer is said to, and asked again', async () => {
  await goTo('/devices', 'Devices')
  await page.route('**/api/v1/search?**', (route) => route.fulfill({ status: 500, json: { error: 'Internal' } }))
  await openSearch()
  await page.keyboard.type('peo')
  await dialog().getByRole('alert').waitFor()
  expect((await groups()).Pages, 'what the browser knows is still there').toEqual(['People'])
  await page.unroute('**/api/v1/search?**')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog().getByRole('alert').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
})

test('on a phone the button in the header opens it over the whole screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await goTo('/devices', 'Devices')
  await page.getByRole('banner').getByRole('button', { name: 'Search' }).focus()
  await page.keyboard.press('Enter')
  await field().waitFor()
  await page.keyboard.type('winter')
  await soon(async () => Object.keys(await groups())).toEqual(['People', 'Contacts'])
  const box = await dialog().boundingBox()
  // All but the room for a scroll bar.
  expect([box?.x, box?.y, box?.height]).toEqual([0, 0, 844])
  expect(box?.width).toBeGreaterThan(370)
  await look(page, 'search-on-a-phone')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 800 })
})
