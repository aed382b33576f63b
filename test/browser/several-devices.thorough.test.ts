import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Several devices selected in the list, and what is done with them. */

let company: Company
let page: Page
let orgs: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  orgs = seedOrganizations(company.db, 5)
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })
const boxes = () => page.getByRole('checkbox', { name: /^Select (?!all)/ })
const bar = (on = page) => on.getByRole('toolbar', { name: 'Selected rows' })
const focused = () =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? '')
const isSelected = (text: string) => bar().getByText(text, { exact: true }).waitFor()
const command = async (name: string) => {
  await button('Command').click()
  await page.getByRole('menuitem', { name }).click()
}
/** Afterwards nothing is selected. */
const done = async () => {
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await bar().waitFor({ state: 'hidden' })
}
const selectFirst = async (amount: number) => {
  for (let n = 0; n < amount; n++) await boxes().nth(n).click()
  await isSelected(`${amount} selected`)
}
const rowsWith = (tag: string) =>
  company.db
    .all(q.selectFrom('devices').select(['id', 'hostname', 'tags']))
    .filter(({ tags }) => tags.includes(`"${tag}"`))
const save = async (click: () => Promise<void>) => {
  const [file] = await Promise.all([page.waitForEvent('download'), click()])
  const [head = '', ...lines] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
  return { name: file.suggestedFilename(), head, lines }
}

test('devices are selected by mouse, by range and by key, over several pages, and let go by Escape', async () => {
  await page.goto('/devices?limit=25')
  await boxes().nth(1).click()
  await boxes()
    .nth(4)
    .click({ modifiers: ['Shift'] })
  await isSelected('4 selected')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await isSelected('5 selected')
  await page
    .getByRole('button', { name: /next|page 2|^2$/i })
    .first()
    .click()
  await bar().getByText('5 on other pages').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows' }).click()
  await isSelected('10 selected, 5 on other pages')
  await button('Command').click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await isSelected('10 selected, 5 on other pages')
  await boxes().last().focus()
  await page.keyboard.press('.')
  await expect.poll(focused).toBe('Move')
  await page.keyboard.press('Escape')
  await bar().waitFor({ state: 'hidden' })
  await expect.poll(focused).toMatch(/^Select /)
})

test('tags are added to what the devices have, and the result says how many', async () => {
  await page.goto('/devices?limit=25')
  await selectFirst(3)
  await button('Tag').click()
  await dialog('Tag 3 devices').getByLabel('Add').fill('lab')
  await page.keyboard.press('Enter')
  await look(page, 'several-devices-tag')
  await button('Change tags').click()
  await dialog('Tags changed').getByText('The tags of 3 devices were changed.').waitFor()
  await done()
  expect(rowsWith('lab')).toHaveLength(3)
  await selectFirst(3)
  await button('Tag').click()
  await dialog('Tag 3 devices').getByLabel('Add').pressSequentially('till,lab,')
  await button('Change tags').click()
  await dialog('Tags changed').waitFor()
  await done()
  expect(rowsWith('lab')).toHaveLength(3)
  expect(rowsWith('till')).toHaveLength(3)
})

test('a command says what happens to how many, and afterwards on which device it was not done and why', async () => {
  await selectFirst(3)
  await command('Restart')
  const question = dialog('Restart 3 devices?')
  await question.getByText('3 devices aren’t online and restart when they’re back, if that’s within a day.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  const { id = '', hostname } = rowsWith('lab')[0] ?? {}
  company.db.run(q.updateTable('devices').set({ status: 'decommissioned' }).where('id', '=', id))
  await command('Restart')
  await button('Restart 3 devices').click()
  const result = dialog('Restart requested')
  await result.getByText('Restart requested for 2 devices.').waitFor()
  await result.getByText('Not done on 1 device').waitFor()
  await result.getByText(`${hostname}: Decommissioned devices accept no commands.`).waitFor()
  await look(page, 'several-devices-result')
  await done()
  expect(company.db.all(q.selectFrom('device_commands').select('type'))).toEqual([
    { type: 'reboot' },
    { type: 'reboot' },
  ])
  company.db.run(q.updateTable('devices').set({ status: 'offline' }).where('id', '=', id))
})

test('where there was nothing to do, the result says so of each device', async () => {
  // The device that was put back in the database is listed again.
  await page.reload()
  for (const title of ['Inventory requested', 'Nothing was done']) {
    await selectFirst(3)
    await command('Refresh inventory')
    await button('Refresh inventory').click()
    await dialog(title).waitFor()
    if (title === 'Nothing was done') await dialog(title).getByText('Nothing to do on 3 devices').waitFor()
    await done()
  }
})

test('a script runs on all of them, and the result leads to its output on each', async () => {
  await selectFirst(3)
  await button('Script').click()
  await dialog('Run a script on 3 devices').getByRole('textbox', { name: 'Script' }).fill('hostname')
  await button('Run on 3 devices').click()
  const result = dialog('Script queued')
  await result.getByRole('link').first().click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByText('hostname', { exact: true }).first().waitFor()
  await page.goBack()
})

test('devices of several organizations go into a group of one, which is made where there is none', async () => {
  const [first] = orgs
  await page.goto('/devices?limit=25&sort=enrolled&dir=asc')
  // Six devices of the first organization, and two of the second.
  await boxes().nth(0).click()
  await boxes()
    .nth(7)
    .click({ modifiers: ['Shift'] })
  await button('Add to group').click()
  const form = dialog('Add 8 devices to a group')
  await form.getByText('A group belongs to one organization.').waitFor()
  await form.getByText(`${first?.name} has no group to add devices to yet.`).waitFor()
  await form.getByRole('textbox', { name: 'Name of the new group' }).fill('Tills')
  await look(page, 'several-devices-group')
  await button('Create group').click()
  const result = dialog('Group created')
  await result.getByText('“Tills” was created with 6 devices.').waitFor()
  await result.getByText('Not done on 2 devices').waitFor()
  await done()
  await button('Columns').click()
  await page.getByRole('menuitemcheckbox', { name: 'Groups' }).click()
  await expect.poll(() => page.getByRole('cell', { name: 'Tills' }).count()).toBe(6)
  await page.keyboard.press('Escape')
})

test('maintenance begins on the selected devices', async () => {
  await selectFirst(2)
  await button('Maintenance').click()
  await button('Begin maintenance').click()
  await dialog('Maintenance begun').getByText('Maintenance began on 2 devices.').waitFor()
  await done()
  const those = company.db.all(q.selectFrom('devices').select('id').where('status', '=', 'maintenance'))
  expect(those).toHaveLength(2)
})

test('the selected devices, or all that the list is about, are saved as a CSV file', async () => {
  await selectFirst(2)
  const some = await save(() => bar().getByRole('button', { name: 'Export CSV' }).click())
  await noticeAppears(page, 'Devices exported')
  expect(some.name).toMatch(/^devices-\d{4}-\d\d-\d\d\.csv$/)
  expect(some.head).toContain('hostname,displayName,organization')
  expect(some.lines).toHaveLength(2)
  expect(some.lines.every((line) => line.includes('"Tills"'))).toBe(true)
  await button('Clear selection').click()
  await expect.poll(focused).toMatch(/^Select /)
  expect((await save(() => button('Export CSV').click())).lines).toHaveLength(30)
  await page.goto(`/devices?org=${orgs[1]?.id}`)
  await boxes().first().waitFor()
  expect((await save(() => button('Export CSV').click())).lines).toHaveLength(6)
})

test('several devices move to a site of another organization', async () => {
  const [, , , , target] = orgs
  const there = () =>
    company.db.all(
      q
        .selectFrom('devices')
        .select(['id', 'site_id'])
        .where('org_id', '=', target?.id ?? ''),
    )
  const before = there().length
  await page.goto('/devices?limit=25')
  await selectFirst(2)
  await button('Move').click()
  const form = dialog('Move 2 devices')
  await form.getByRole('combobox', { name: 'Organization' }).fill(target?.name ?? '')
  await chooseOption(page.getByRole('option', { name: target?.name ?? '' }))
  await form.getByText('Moves along').waitFor()
  await form.getByRole('combobox', { name: 'Site' }).click()
  await chooseOption(page.getByRole('option').first())
  await look(page, 'several-devices-move')
  await form.getByRole('button', { name: 'Move', exact: true }).click()
  await noticeAppears(page, '2 devices moved to')
  expect(there()).toHaveLength(before + 2)
  await bar().waitFor({ state: 'hidden' })
})

test('on a phone the actions are in a menu, with only those that the role permits', async () => {
  await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test', role: 'Partner Viewer' })
  const phone = await company.signIn('vera@northwind.test', null)
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto('/devices')
  await phone
    .getByRole('checkbox', { name: /^Select/ })
    .first()
    .click()
  await bar(phone).getByText('1 selected').waitFor()
  await bar(phone).getByRole('button', { name: 'Actions' }).click()
  await expect.poll(() => phone.getByRole('menuitem').allInnerTexts()).toEqual(['Export CSV'])
  await phone.keyboard.press('Escape')
  await phone.setViewportSize({ width: 1280, height: 800 })
  await leave(phone)
})
