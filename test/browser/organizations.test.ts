import { randomUUIDv7 } from 'node:crypto'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { atLength } from '../helpers/thorough.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The organizations of a company: their list, their order, and the page of one of them. */

let company: Company
let page: Page
let organizations: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  organizations = seedOrganizations(company.db, 120)
  const [, second, third] = organizations as [SeededOrganization, SeededOrganization, SeededOrganization]
  company.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', second.id))
  company.db.run(q.updateTable('organizations').set({ status: 'trial' }).where('id', '=', third.id))
  const archived = organizations.at(-1) as SeededOrganization
  const archive = { status: 'archived' as const, archived_at: new Date().toISOString() }
  company.db.run(q.updateTable('organizations').set(archive).where('id', '=', archived.id))
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const soon = <T>(read: () => T) => expect.poll(read)
const table = (name: string) => page.getByRole('region', { name, exact: true })
const names = () => table('Organizations').locator('a[data-main]').allInnerTexts()
const idOf = (name: string) => organizations.find((one) => one.name === name)?.id
/** The order as a new request returns it. */
const savedOrder = async () => {
  await page.reload()
  await table('Organizations').waitFor()
  return names()
}
const toList = async (query = '') => {
  await page.goto(`/organizations${query}`)
  await table('Organizations').waitFor()
}
const menuOf = async (name: string, entry: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('the list shows each status in words, and archived organizations on request', async () => {
  await toList()
  await table('Organizations').getByText('Suspended').waitFor()
  await table('Organizations').getByText('Trial').waitFor()
  expect(await page.getByText('Juniper Dental 119').count()).toBe(0)
  await page.getByText('1–50 of 119 organizations').waitFor()
  await page.getByRole('switch', { name: 'Show archived' }).check()
  await table('Archived organizations').getByText('Beacon Dental 120').waitFor()
  await look(page, 'organizations')
})

test('a row moved by keyboard keeps its place', async () => {
  await toList()
  await page.getByRole('button', { name: 'Move Alder Logistics 3, number 3' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Alder Logistics 3 picked up. It’s number 3.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowUp')
  await page.getByText('Alder Logistics 3 would be number 2.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowUp')
  await page.getByText('Alder Logistics 3 would be number 1.').waitFor({ state: 'attached' })
  await page.keyboard.press('Space')
  await noticeAppears(page, 'Alder Logistics 3 is now number 1')
  expect((await savedOrder()).slice(0, 3)).toEqual(['Alder Logistics 3', 'Harbour Logistics 1', 'Lantern Logistics 2'])
})

test('Alt and an arrow key move a row by one, as the hint above the list says', async () => {
  await toList()
  await page.getByText('Drag a row by its handle').waitFor()
  await page.getByRole('link', { name: 'Harbour Logistics 1', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await noticeAppears(page, 'Harbour Logistics 1 is now number 1')
  await page.keyboard.press('Alt+ArrowDown')
  await noticeAppears(page, 'Harbour Logistics 1 is now number 2')
  expect((await savedOrder()).slice(0, 3)).toEqual(['Alder Logistics 3', 'Harbour Logistics 1', 'Lantern Logistics 2'])
})

test('a row is dragged to another place', async () => {
  await toList()
  const grip = page.getByRole('button', { name: /^Move Alder Logistics 3,/ })
  const target = await page.getByRole('button', { name: /^Move Lantern Logistics 2,/ }).boundingBox()
  await grip.hover()
  await page.mouse.down()
  await page.mouse.move((target?.x ?? 0) + 8, (target?.y ?? 0) + 4, { steps: 8 })
  await page.mouse.move((target?.x ?? 0) + 8, (target?.y ?? 0) + 14, { steps: 4 })
  await page.mouse.up()
  await noticeAppears(page, 'Alder Logistics 3 is now number 3')
  expect((await savedOrder()).slice(0, 3)).toEqual(['Harbour Logistics 1', 'Lantern Logistics 2', 'Alder Logistics 3'])
})

atLength('the menu moves a row across pages: to the top, by one, and to a position', async () => {
  await toList('?page=3')
  await menuOf('Harbour Logistics 101', 'Move to top')
  await noticeAppears(page, 'Harbour Logistics 101 is now number 1')
  await toList()
  expect((await names())[0]).toBe('Harbour Logistics 101')
  await menuOf('Harbour Logistics 101', 'Move to position…')
  await page.getByLabel('Position').fill('101')
  await look(page, 'organization-position')
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
  await noticeAppears(page, 'Harbour Logistics 101 is now number 101')
  await toList('?page=3')
  expect((await names())[0]).toBe('Harbour Logistics 101')
  await menuOf('Harbour Logistics 101', 'Move up')
  await noticeAppears(page, 'Harbour Logistics 101 is now number 100')
  await toList('?page=2')
  await expect.poll(async () => (await names()).at(-1)).toBe('Harbour Logistics 101')
})

test('a refused move is undone', async () => {
  await toList()
  await expect.poll(async () => (await names()).length).toBe(50)
  const before = await names()
  await page.route('**/orgs/organizations/order', (route) =>
    route.fulfill({
      status: 403,
      json: { error: 'Full partner access required', code: 'full_partner_access_required' },
    }),
  )
  await menuOf('Lantern Logistics 2', 'Move up')
  await noticeAppears(page, 'The order wasn’t saved')
  expect(await names()).toEqual(before)
  await page.unroute('**/orgs/organizations/order')
})

test('the page of an organization shows its status and keeps the tab in the address', async () => {
  await page.goto(`/organizations/${idOf('Lantern Logistics 2')}`)
  await page.getByText('Devices still report, but can’t be changed').waitFor()
  await page.getByText('No contacts yet.').waitFor()
  await look(page, 'organization')
  await page.getByRole('tab', { name: 'Devices' }).click()
  await soon(() => page.url()).toContain('tab=devices')
  await page.getByRole('main').getByText('6 devices').waitFor()
  await look(page, 'organization-devices')
  await page.reload()
  await page.getByRole('main').getByText('6 devices').waitFor()
  // Opening an organization limits no list; choosing one does, and the cross takes that back.
  const devices = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Devices' })
  const chosen = () => new URL(page.url()).searchParams.get('org')
  await devices.click()
  await page.waitForURL('**/devices')
  expect(chosen()).toBeNull()
  await page.goBack()
  await page
    .getByRole('button', { name: /^Organization\s/ })
    .first()
    .waitFor()
  await page.keyboard.press('s')
  await page.getByRole('combobox', { name: 'Search organizations' }).fill('beacon logistics')
  await page.keyboard.press('Enter')
  await page.waitForURL(/devices\?org=/)
  await page.getByRole('button', { name: /^Organization\s*Beacon Logistics 10/ }).waitFor()
  await page.getByRole('button', { name: 'Show all organizations' }).click()
  await page.waitForURL('**/devices')
  await page.getByRole('button', { name: /^Organization\s*All organizations/ }).waitFor()
})

test('a site is deleted unless it has devices, and then the dialog counts them and links to them', async () => {
  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=sites`)
  await page.getByRole('button', { name: 'New site' }).click()
  await page.getByLabel('Name').fill('Annex')
  await page.getByRole('button', { name: 'Create' }).click()
  await menuOf('Annex', 'Delete…')
  await page.getByRole('button', { name: 'Delete site' }).click()
  await noticeAppears(page, 'Annex was deleted')
  await look(page, 'organization-sites')
  await menuOf('Warehouse', 'Delete…')
  await page.getByText('its enrollment keys expire').waitFor()
  await page.getByRole('button', { name: 'Delete site' }).click()
  await page.getByText('Warehouse still has 2 devices').waitFor()
  await look(page, 'site-not-empty')
  await page.getByRole('button', { name: 'Show devices' }).click()
  await soon(() => page.url()).toContain('tab=devices')
  await page.getByRole('link', { name: 'warehouse-pc-2' }).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Move…' }).click()
  const site = page.getByRole('dialog').getByRole('combobox', { name: 'Site' })
  await site.fill('e')
  expect(await page.getByRole('option', { name: 'Warehouse' }).count()).toBe(0)
  await look(page, 'move-device')
  await chooseOption(page.getByRole('option').first())
  const to = await site.inputValue()
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
  await noticeAppears(page, `warehouse-pc-2 moved to ${to}`)
  await page.getByText(`· ${to} ·`).waitFor()
})

test('a device moves to an organization that has no site yet: one is created on the way, and nothing is typed twice', async () => {
  const { id, name } = organizations[20] as SeededOrganization
  const [device = ''] = organizations[5]?.sites[1]?.deviceIds ?? []
  await page.goto(`/devices/${device}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Move…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Move warehouse-pc-/ })
  const organization = dialog.getByRole('combobox', { name: 'Organization' })
  await soon(() => organization.inputValue()).toBe('Granite Logistics 6')
  await soon(() => organization.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await dialog.getByText('Moves along').count()).toBe(0)
  await choose(organization, 'Lantern Logistics 2')
  await dialog.getByText('Lantern Logistics 2 is suspended.').waitFor()
  expect(await dialog.getByRole('button', { name: 'New site' }).count()).toBe(0)
  await choose(organization, name)
  await dialog.getByText(`${name} has no sites yet.`).waitFor()
  await dialog.getByText('Waiting commands: canceled').waitFor()
  await look(page, 'move-device-to-organization')
  await dialog.getByRole('button', { name: 'New site' }).click()
  await dialog.getByLabel('Name').fill('Main street')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await soon(() => dialog.getByRole('combobox', { name: 'Site' }).inputValue()).toBe('Main street')
  expect(await organization.inputValue()).toBe(name)
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await noticeAppears(page, `moved to ${name}, Main street`)
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('· Main street ·').waitFor()
  await page
    .getByRole('alert')
    .getByRole('link', { name: `${name}, Main street` })
    .click()
  await page.waitForURL((url) => url.pathname === '/devices' && url.searchParams.get('org') === id)
  await page.getByText('1 device', { exact: true }).waitFor()
})

test('an enrollment key for an organization without sites: the site is created on the way', async () => {
  const { name } = organizations[30] as SeededOrganization
  await page.goto('/enrollment-keys?create=key')
  const dialog = page.getByRole('dialog', { name: 'New enrollment key' })
  await dialog.getByLabel('Name').fill('Roll-out')
  const organization = dialog.getByRole('combobox', { name: 'Organization' })
  await choose(organization, 'Lantern Logistics 2')
  await dialog.getByText('Lantern Logistics 2 is suspended.').waitFor()
  await choose(organization, name)
  await dialog.getByText('this organization has none yet').waitFor()
  await look(page, 'key-without-site')
  await dialog.getByRole('button', { name: 'New site' }).click()
  await dialog.getByText(`New site in ${name}`).waitFor()
  await dialog.getByLabel('Name').fill('Depot')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await soon(() => dialog.getByRole('combobox', { name: 'Site' }).inputValue()).toBe('Depot')
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Roll-out')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog', { name: 'Key “Roll-out”' }).getByRole('button', { name: 'Done' }).click()
})

async function choose(select: Locator, option: string): Promise<void> {
  await select.fill(option)
  await chooseOption(page.getByRole('option', { name: option, exact: true }))
}

test('many sites are listed in pages', async () => {
  const { id } = organizations[3] as SeededOrganization
  for (let n = 1; n <= 60; n++)
    company.db.run(
      q.insertInto('sites').values({
        id: randomUUIDv7(),
        org_id: id,
        name: `Shop ${String(n).padStart(2, '0')}`,
        timezone: 'UTC',
        created_at: new Date().toISOString(),
        updated_at: new Date().toISOString(),
      }),
    )
  await page.goto(`/organizations/${id}?tab=sites`)
  await page.getByText('1–50 of 63 sites').waitFor()
  await page.getByRole('button', { name: 'Page 2' }).click()
  await page.getByText('51–63 of 63 sites').waitFor()
  await menuOf((await table('Sites').locator('tbody td').first().innerText()).trim(), 'Edit…')
  await page.getByRole('dialog', { name: 'Edit site' }).waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`/organizations/${id}?tab=sites&page=9`)
  await page.getByText('No sites match').waitFor()
})

test('contacts are added, made primary, filtered by role, changed and deleted', async () => {
  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=contacts`)
  await page.getByText('No contacts yet').waitFor()
  await page.getByRole('button', { name: 'New contact' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Enter a name, an email address or a phone number').waitFor()
  await dialog.getByLabel('Name').fill('Grace Hopper')
  await dialog.getByLabel('Email').fill('grace@harbour.test')
  await dialog.getByLabel('Primary contact of the organization').check()
  await dialog.getByLabel('Roles').focus()
  await page.keyboard.press('ArrowDown')
  await chooseOption(page.getByRole('option', { name: 'Billing' }))
  await page.keyboard.press('Escape')
  await look(page, 'contact-form')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Grace Hopper')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'detached' })
  await noticeAppears(page, 'Grace Hopper was created')
  await table('Contacts').getByText('Primary').waitFor()

  await page.getByRole('button', { name: 'New contact' }).click()
  await dialog.getByLabel('Name').fill('Linus')
  await dialog.getByLabel('Mobile').fill('+49 170 1234567')
  await dialog.getByRole('combobox', { name: 'Site' }).click()
  await chooseOption(page.getByRole('option', { name: 'Warehouse' }))
  await dialog.getByRole('button', { name: 'Create' }).click()
  await table('Contacts')
    .getByRole('row', { name: /Linus.*\+49 170 1234567 Mobile/ })
    .waitFor()
  await look(page, 'organization-contacts')

  await page.getByRole('combobox', { name: 'Role' }).click()
  await chooseOption(page.getByRole('option', { name: 'Billing' }))
  await soon(() => page.getByText('Linus').count()).toBe(0)
  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=contacts&at=none`)
  await table('Contacts').getByText('Grace Hopper').waitFor()
  expect(await page.getByText('Linus').count()).toBe(0)

  await menuOf('Grace Hopper', 'Edit…')
  await dialog.getByLabel('Job title').fill('Admiral')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await noticeAppears(page, 'Grace Hopper was saved')
  await table('Contacts').getByText('Admiral').waitFor()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText('grace@harbour.test').first().waitFor()

  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=contacts`)
  await menuOf('Grace Hopper', 'Delete…')
  await page.getByText('It won’t be replaced automatically.').waitFor()
  await page.getByRole('button', { name: 'Delete contact' }).click()
  await soon(() => table('Contacts').getByText('Grace Hopper').count()).toBe(0)
})

test('settings are saved, and those set by the company are named', async () => {
  const partner = company.db.first(q.selectFrom('partners').select(['id', 'settings'])) as {
    id: string
    settings: string
  }
  const settings = { ...JSON.parse(partner.settings), security: { requireMfa: false } }
  company.db.run(
    q
      .updateTable('partners')
      .set({ settings: toJson(settings) })
      .where('id', '=', partner.id),
  )
  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=settings`)
  await page.getByText('Whether a second factor is required').waitFor()
  const save = page.getByRole('form', { name: 'Organization' }).getByRole('button', { name: 'Save' })
  await page.getByLabel('Contract start').fill('2026-03-01')
  await page.getByLabel('Contract end').fill('2026-02-01')
  await save.click()
  await page.getByText('The end is before the start').waitFor()
  await page.getByLabel('Contract end').fill('2027-02-28')
  await page.getByLabel('Device limit').fill('-3')
  await save.click()
  await page.getByText('Enter at least 0').waitFor()
  await page.getByLabel('Device limit').fill('40')
  await page.getByLabel('Internal').check()
  await look(page, 'organization-settings')
  await save.click()
  await noticeAppears(page, 'Harbour Logistics 1 saved')
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText('6 of 40 used').waitFor()
  await page.getByText('Mar 1, 2026 – Feb 28, 2027').waitFor()
})

test('an archived organization shows its status and no tabs', async () => {
  await page.goto(`/organizations/${idOf('Beacon Dental 120')}`)
  await page.getByText('Archived and read-only').waitFor()
  expect(await page.getByRole('tab').count()).toBe(0)
  await look(page, 'organization-archived')
})

test('a new organization gets a short name of its own, and its first device creates its first site', async () => {
  await toList()
  await page.getByRole('button', { name: 'New organization' }).click()
  const dialog = page.getByRole('dialog')
  const [name, slug] = ['Name', 'Short name'].map((label) => dialog.getByLabel(label, { exact: true }))
  const create = dialog.getByRole('button', { name: 'Create' })
  await name?.fill('!!!')
  await slug?.fill('Kestrel Foods')
  await create.click()
  await dialog.getByText('Enter a name with at least one letter or digit').waitFor()
  await dialog.getByText('hyphens, for example kestrel-foods').waitFor()
  await name?.fill('Müller Foods')
  await slug?.fill('org-1')
  await create.click()
  await dialog.getByText('That short name is already in use.').waitFor()
  expect(await slug?.getAttribute('aria-invalid')).toBe('true')
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await slug?.fill('')
  expect(await slug?.getAttribute('placeholder')).toBe('muller-foods')
  // A new name clears the error of the short name.
  await name?.fill('北京')
  await create.click()
  await dialog.getByText('Enter a short name; none can be derived').waitFor()
  await name?.fill('Müller Foods')
  await soon(() => dialog.getByText('Enter a short name; none can be derived').count()).toBe(0)
  await create.click()
  await page.getByRole('heading', { name: 'Müller Foods' }).waitFor()
  await page.goto('/organizations?create=organization')
  await name?.fill('müller foods')
  await dialog.getByText('An organization already has this name (muller-foods, 0 devices).').waitFor()
  await soon(() => slug?.getAttribute('placeholder')).toBe('muller-foods-2')
  await look(page, 'name-taken')
  await create.click()
  await page.getByText('muller-foods-2').first().waitFor()
  const { id: first } = company.db.first(
    q.selectFrom('organizations').select('id').where('slug', '=', 'muller-foods'),
  ) as { id: string }
  await page.goto(`/organizations/${first}?tab=settings`)
  await page.getByLabel('Name', { exact: true }).fill('Alder Logistics 3')
  await page.getByText('An organization already has this name (org-3').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Müller Foods')
  await page.goto(`/organizations/${first}`)
  await page.getByText('No sites yet.').waitFor()

  await page.goto(`${page.url()}?dialog=add-device`)
  await dialog.getByText('this organization has none yet').waitFor()
  await look(page, 'add-device-without-site')
  await dialog.getByRole('button', { name: 'New site' }).click()
  await dialog.getByLabel('Name').fill('Bakery')
  await create.click()
  await soon(() => dialog.getByRole('combobox', { name: 'Site' }).inputValue()).toBe('Bakery')
})

atLength('organizations with the same name are told apart by their short name wherever one is chosen', async () => {
  const [, lantern, alder] = organizations as [SeededOrganization, SeededOrganization, SeededOrganization]
  const rename = q.updateTable('organizations').set({ name: 'Contoso' }).where('id', 'in', [lantern.id, alder.id])
  company.db.run(rename)
  await page.goto('/organizations?dialog=add-device')
  await page.getByRole('treeitem', { name: /^Contoso\s+org-3/ }).waitFor()
  await page.getByRole('combobox', { name: 'Organization' }).fill('contoso')
  await page.getByRole('option', { name: 'Contoso (org-3) 6 devices' }).waitFor()
  await look(page, 'namesakes-add-device')
  await chooseOption(page.getByRole('option', { name: 'Contoso (org-2)' }))
  expect(await page.getByRole('combobox', { name: 'Organization' }).inputValue()).toBe('Contoso (org-2)')
  await page.goto(`/devices?org=${lantern.id}`)
  await page.getByRole('button', { name: /^Organization\s*Contoso\s*org-2/ }).waitFor()
  await page.goto('/devices')
  await page
    .getByRole('row', { name: /Contoso · org-3/ })
    .first()
    .waitFor()
  await look(page, 'namesakes-devices')
  await page.goto('/organizations?dialog=organization')
  await page.getByRole('combobox', { name: 'Search organizations' }).fill('contoso')
  await page.getByRole('option', { name: /Contoso\s*org-3, 6 devices/ }).waitFor()
  await page.goto(`/organizations/${idOf('Harbour Logistics 1')}?tab=danger`)
  await page.getByRole('button', { name: 'Merge…' }).click()
  await page.getByRole('combobox', { name: 'Target organization' }).fill('contoso')
  await chooseOption(page.getByRole('option', { name: 'Contoso (org-3, 6 devices)' }))
  await page.getByText('Devices and their records').waitFor()
})

test('an operator chooses the company of a new organization', async () => {
  const opal = { name: 'Opal Operator', email: 'opal@northwind.test' }
  const id = await company.hire(opal)
  company.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
  company.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', id))
  const other = await company.signIn(opal.email, '/organizations?create=organization')
  const dialog = other.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Osprey Works')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Choose a company').waitFor()
  await dialog.getByRole('combobox', { name: 'Company' }).click()
  await chooseOption(other.getByRole('option', { name: 'Northwind Traders' }))
  await look(other, 'new-organization-operator')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await other.getByRole('heading', { name: 'Osprey Works' }).waitFor()
  await leave(other)
})
