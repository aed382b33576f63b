import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { seedOrganizations } from './tenants.ts'

/** What is done on the page of one device. */

const name = 'head-office-pc-1'
let company: Company
let page: Page
let deviceId: string

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  const [org] = seedOrganizations(company.db, 1, { sites: 1 })
  deviceId = org?.sites[0]?.deviceIds[0] ?? ''
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const button = (label: string | RegExp, on = page) => on.getByRole('button', { name: label, exact: true })
const dialog = (title: string) => page.getByRole('dialog', { name: title })
const choose = async (item: string) => {
  await button('More actions').click()
  await page.getByRole('menuitem', { name: item }).click()
}
const stored = () => company.db.first(q.selectFrom('devices').selectAll().where('id', '=', deviceId))
const commands = () => company.db.all(q.selectFrom('device_commands').select('type').orderBy('created_at'))
const hold = () =>
  company.db.run(
    q
      .updateTable('devices')
      .set({
        status: 'quarantined',
        quarantined_at: new Date().toISOString(),
        quarantined_reason: 'hostname_collision',
      })
      .where('id', '=', deviceId),
  )
const waits = (on = page) => on.getByText('This device waits for approval')

test('a device that waits is approved or rejected on its page, and restoring a rejected one says that it approves it', async () => {
  hold()
  await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test', role: 'Partner Viewer' })
  const other = await company.signIn('vera@northwind.test', `/devices/${deviceId}`)
  await waits(other).waitFor()
  for (const label of ['Approve', 'Reject…']) expect(await button(label, other).count()).toBe(0)
  await leave(other)

  await page.goto('/')
  await page.getByRole('link', { name: new RegExp(`^${name} waits for approval`) }).click()
  await waits().waitFor()
  await page.getByText('Another device has the same name.').waitFor()
  await page.getByRole('link', { name: `Show devices named ${name}` }).click()
  await page.waitForURL(`**/devices?*search=${name}*`)
  await page.goBack()
  await page.getByText('Waiting for approval', { exact: true }).waitFor()
  for (const label of ['Run script', 'Refresh inventory', 'Restart']) expect(await button(label).count()).toBe(0)
  await look(page, 'device-waiting')

  await button('Reject…').click()
  await dialog(`Reject ${name}?`).getByRole('button', { name: 'Cancel' }).click()
  expect(stored()?.status).toBe('quarantined')
  await button('Reject…').click()
  await button(`Reject ${name}`).click()
  await noticeAppears(page, `${name} was rejected`)
  await waits().waitFor({ state: 'detached' })
  expect(stored()?.status).toBe('decommissioned')

  await choose('Restore…')
  await dialog(`Restore ${name}?`).getByText(`${name} was waiting for approval. Restoring approves it.`).waitFor()
  await look(page, 'device-restore')
  await button(`Approve and restore ${name}`).click()
  await noticeAppears(page, `${name} was restored`)
  expect(stored()).toMatchObject({ status: 'offline', quarantined_at: null })

  hold()
  await page.reload()
  await button('Approve').click()
  await noticeAppears(page, `${name} was approved`)
  await waits().waitFor({ state: 'detached' })
  await button('Run script').waitFor()
  expect(stored()).toMatchObject({ status: 'online', quarantined_at: null })
})

test('maintenance begins and ends on the page, which says until when it lasts', async () => {
  await choose('Maintenance…')
  const form = dialog(`Maintenance for ${name}`)
  await form.getByRole('combobox', { name: 'Duration' }).click()
  await chooseOption(page.getByRole('option', { name: '8 hours' }))
  await button('Begin maintenance').click()
  await noticeAppears(page, `Maintenance began on ${name}`)
  const state = page.getByText(/^Maintenance until (\w{3} \d+, )?\d\d?:\d\d/)
  await state.waitFor()
  const { status, maintenance_until: until } = stored() ?? {}
  expect(status).toBe('maintenance')
  expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(7.9 * 3_600_000)
  await look(page, 'device-maintenance')
  await button('End maintenance').click()
  await noticeAppears(page, `Maintenance ended on ${name}`)
  await state.waitFor({ state: 'detached' })
  expect(stored()).toMatchObject({ maintenance_until: null })
})

test('a requested restart is linked from the notice and, until it ends, beside the name for everyone who looks', async () => {
  const other = await company.signIn('vera@northwind.test', `/devices/${deviceId}`)
  await button('Run script', other).waitFor()
  const waiting = (on: Page) => on.getByRole('link', { name: 'Restart waiting…' })
  expect(await waiting(other).count()).toBe(0)
  await button('Restart').click()
  await button(`Restart ${name}`).click()
  await page.getByRole('link', { name: 'Show command' }).first().waitFor()
  await noticeAppears(page, `Restart requested for ${name}`)
  await Promise.all([waiting(page).waitFor(), waiting(other).waitFor()])
  await look(page, 'device-restart-waiting')
  await waiting(page).click()
  await page.waitForURL(`**/devices/${deviceId}?tab=commands&command=*`)
  await button('Cancel command').click()
  await Promise.all([waiting(page).waitFor({ state: 'detached' }), waiting(other).waitFor({ state: 'detached' })])
  await leave(other)
})

test('shutting down asks first, with the focus on the button that changes nothing', async () => {
  await choose('Shut down…')
  const question = dialog(`Shut down ${name}?`)
  const cancel = question.getByRole('button', { name: 'Cancel' })
  await expect.poll(() => cancel.evaluate((element) => element === document.activeElement)).toBe(true)
  await cancel.click()
  await question.waitFor({ state: 'detached' })
  expect(commands()).toEqual([{ type: 'reboot' }])
  await choose('Shut down…')
  await button(`Shut down ${name}`).click()
  await noticeAppears(page, `Shutdown requested for ${name}`)
  expect(commands()).toEqual([{ type: 'reboot' }, { type: 'shutdown' }])
})

const focused = () => page.evaluate(() => document.activeElement?.ariaLabel)

test('the link of a script that runs leads to its command, which has the focus', async () => {
  await button('Run script').click()
  const panel = dialog(`Run a script on ${name}`)
  await panel.getByRole('textbox', { name: 'Script' }).fill('hostname')
  await page.keyboard.press('Control+Enter')
  await panel.getByRole('link', { name: 'Commands' }).focus()
  await page.keyboard.press('Enter')
  await panel.waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('Details of hostname')
  await button('Cancel command').click()
})

test('tags are saved by Enter, which leaves the focus with them, and each leads to the devices that have it', async () => {
  await button('Add tags').focus()
  await page.keyboard.press('Enter')
  for (const key of ['t', 'i', 'l', 'l', 'Enter', 'Enter']) await page.keyboard.press(key)
  await expect.poll(focused).toBe('Edit tags')
  expect(stored()?.tags).toBe('["till"]')
  await page.getByRole('link', { name: 'Devices with the tag till' }).click()
  await page.getByText('1 device', { exact: true }).waitFor()
  await page.getByRole('link', { name, exact: true }).click()
})
