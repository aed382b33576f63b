import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import type { FilterConditions } from '../../shared/device-filter.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The device groups of an organization: static ones and dynamic ones. */

let company: Company
let page: Page
let org: SeededOrganization

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  org = seedOrganizations(company.db, 1)[0] as SeededOrganization
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })
const members = () => page.getByRole('region', { name: 'Devices in this group' })
const groups = () => page.getByRole('region', { name: 'Device groups' })
const toGroups = async () => page.goto(`/organizations/${org.id}?tab=groups`)
const choose = async (field: string, option: string) => {
  await page.getByRole('combobox', { name: field }).last().click()
  await chooseOption(page.getByRole('option', { name: option, exact: true }))
}
const groupNamed = (name: string) =>
  company.db.first(q.selectFrom('device_groups').selectAll().where('name', '=', name))
const namesIn = () => members().locator('a[data-main]').allInnerTexts()
const menuOf = async (name: string, entry: string) => {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('a static group is created from devices found by name', async () => {
  await toGroups()
  await page.getByText('No groups yet').waitFor()
  await button('New group').click()
  await dialog('New group').getByLabel('Name', { exact: true }).fill('Tills')
  await page.getByRole('combobox', { name: 'Devices' }).fill('branch')
  await chooseOption(page.getByRole('option', { name: 'branch-pc-1' }))
  await chooseOption(page.getByRole('option', { name: 'branch-pc-2' }))
  await page.keyboard.press('Escape')
  await look(page, 'device-group-by-hand')
  await button('Create').click()
  await expect.poll(namesIn).toEqual(['branch-pc-1', 'branch-pc-2'])
  await page.getByRole('combobox', { name: 'Add devices' }).fill('warehouse')
  await chooseOption(page.getByRole('option', { name: 'warehouse-pc-1' }))
  await page.keyboard.press('Escape')
  await button('Add').click()
  await expect.poll(namesIn).toEqual(['branch-pc-1', 'branch-pc-2', 'warehouse-pc-1'])
  await button('Remove branch-pc-2 from the group').click()
  await expect.poll(namesIn).toEqual(['branch-pc-1', 'warehouse-pc-1'])
  await look(page, 'device-group-members')
})

test('devices are selected one by one or as a range with Shift, and removed together', async () => {
  await toGroups()
  await button('New group').click()
  await dialog('New group').getByLabel('Name', { exact: true }).fill('Pilot')
  await page.getByRole('combobox', { name: 'Devices' }).fill('pc-')
  for (const name of ['branch-pc-1', 'branch-pc-2', 'warehouse-pc-1', 'warehouse-pc-2'])
    await chooseOption(page.getByRole('option', { name }))
  await page.keyboard.press('Escape')
  await button('Create').click()
  await expect.poll(namesIn).toHaveLength(4)
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
  const selected = page.getByRole('toolbar', { name: 'Selected rows' })
  expect(await selected.isVisible()).toBe(false)
  await box('Select branch-pc-1').click()
  await box('Select warehouse-pc-1').click({ modifiers: ['Shift'] })
  await selected.getByText('3 selected').waitFor()
  await box('Select branch-pc-1').focus()
  await page.keyboard.press('Space')
  await selected.getByText('2 selected').waitFor()
  await look(page, 'device-group-selection')
  await button('Remove 2 devices').click()
  await expect.poll(namesIn).toEqual(['branch-pc-1', 'warehouse-pc-2'])
  await selected.waitFor({ state: 'hidden' })
  await box('Select all rows').click()
  await selected.getByText('2 selected').waitFor()
  await button('Clear selection').click()
  await selected.waitFor({ state: 'hidden' })
  await menuOf('Pilot', 'Delete…')
  await dialog('Delete Pilot?').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Pilot' }).waitFor({ state: 'hidden' })
})

test('a dynamic group previews its rule and fills itself, and a pinned device stays', async () => {
  await toGroups()
  await button('New group').click()
  await dialog('New group').getByLabel('Name', { exact: true }).fill('Warehouse machines')
  await page.getByText('Matched by a rule').click()
  await page.getByText('Complete the rule to see matching devices.').waitFor()
  await button('Create').click()
  await page.getByText('Enter a value').waitFor()
  await page.getByLabel('Value for Hostname').fill('pc-1')
  await page.getByText('3 devices match right now: branch-pc-1, head-office-pc-1, warehouse-pc-1.').waitFor()
  await button('Condition group').click()
  const together = page.getByRole('group', { name: 'Condition group' })
  await together.getByLabel('Value for Hostname').first().fill('head')
  await together.getByLabel('Value for Hostname').last().fill('ware')
  await page.getByText('2 devices match right now: head-office-pc-1, warehouse-pc-1.').waitFor()
  await choose('Inside', 'Tills')
  await look(page, 'device-group-by-rule')
  await button('Create').click()
  await expect.poll(namesIn).toEqual(['head-office-pc-1', 'warehouse-pc-1'])
  await button('Pin warehouse-pc-1').click()
  await button('Unpin warehouse-pc-1').waitFor()
  await page.getByRole('combobox', { name: 'Pin devices regardless of the rule' }).fill('branch-pc-2')
  await chooseOption(page.getByRole('option', { name: 'branch-pc-2' }))
  await page.keyboard.press('Escape')
  await button('Pin').click()
  await expect.poll(namesIn).toEqual(['branch-pc-2', 'head-office-pc-1', 'warehouse-pc-1'])
  await button('Unpin branch-pc-2').click()
  await expect.poll(namesIn).toEqual(['head-office-pc-1', 'warehouse-pc-1'])
  await page.getByRole('radiogroup', { name: 'Group view' }).getByText('History').click()
  const history = page.getByRole('region', { name: 'Group history' }).locator('tbody tr')
  const entries = async () => (await history.allInnerTexts()).map((row) => row.split(/\s*[\t\n]\s*/).slice(0, 3))
  // The group holds the devices that match as soon as it is created.
  const byAge = async () => [...(await entries()).slice(0, 4), ...(await entries()).slice(4).sort().reverse()]
  await expect.poll(byAge).toEqual([
    ['branch-pc-2', 'Removed', 'No longer matches the rule'],
    ['branch-pc-2', 'Unpinned', 'By Ada Admin'],
    ['branch-pc-2', 'Added', 'Pinned by Ada Admin'],
    ['warehouse-pc-1', 'Pinned', 'By Ada Admin'],
    ['warehouse-pc-1', 'Added', 'Matches the rule'],
    ['head-office-pc-1', 'Added', 'Matches the rule'],
  ])
  await look(page, 'device-group-history')
})

test('editing a rule keeps the parts that the page cannot show', async () => {
  const deep: FilterConditions = {
    operator: 'OR',
    conditions: [{ field: 'osType', operator: 'equals', value: 'windows' }],
  }
  const middle: FilterConditions = { operator: 'AND', conditions: [{ field: 'lastUser', operator: 'isNull' }, deep] }
  const rule: FilterConditions = {
    operator: 'AND',
    conditions: [{ field: 'hostname', operator: 'contains', value: 'pc-1' }, middle],
  }
  company.db.run(
    q
      .updateTable('device_groups')
      .set({ filter_conditions: toJson(rule) })
      .where('name', '=', 'Warehouse machines'),
  )
  await toGroups()
  await menuOf('Warehouse machines', 'Edit…')
  await page.getByText('Nested too deeply to edit here; it stays unchanged.').waitFor()
  await page.getByLabel('Value for Hostname').fill('pc-2')
  await look(page, 'device-group-deep-rule')
  await button('Save').click()
  await dialog('Edit group').waitFor({ state: 'hidden' })
  expect(JSON.parse(groupNamed('Warehouse machines')?.filter_conditions ?? '')).toEqual({
    ...rule,
    conditions: [{ field: 'hostname', operator: 'contains', value: 'pc-2' }, middle],
  })
})

test('nested groups lead to their devices, and a device page shows its groups', async () => {
  await toGroups()
  await groups().getByText(', inside Tills').waitFor({ state: 'attached' })
  await look(page, 'device-groups')
  await page.getByRole('link', { name: '2 devices in Tills' }).click()
  await page.getByRole('main').getByText('2 devices', { exact: true }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Group' }).inputValue()).toBe('Tills')
  await page.getByRole('link', { name: 'branch-pc-1' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Tills' }).click()
  await expect.poll(namesIn).toEqual(['branch-pc-1', 'warehouse-pc-1'])
})

test('a group with subgroups cannot be deleted and names them, and an empty one can', async () => {
  await toGroups()
  await menuOf('Tills', 'Delete…')
  await dialog('Tills can’t be deleted yet').getByText('Warehouse machines').waitFor()
  await look(page, 'device-group-not-empty')
  await page.keyboard.press('Escape')
  await menuOf('Warehouse machines', 'Delete…')
  await button('Delete group').click()
  await noticeAppears(page, 'Warehouse machines was deleted')
  await menuOf('Tills', 'Delete…')
  await button('Delete group').click()
  await page.getByText('No groups yet').waitFor()
})
