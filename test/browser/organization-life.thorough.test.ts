import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** An organization is suspended, closed, archived, restored, purged and deleted. */

const operator = { name: 'Olga Operator', email: 'olga@platform.test' }
let company: Company
let page: Page
let organizations: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany()
  organizations = seedOrganizations(company.db, 25)
  const id = await company.hire(operator)
  company.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', id))
  company.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
  page = await company.signIn(ada.email, null)
  await virtualAuthenticator(page)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const soon = <T>(read: () => T) => expect.poll(read)
const dialog = () => page.getByRole('dialog')
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const idOf = (name: string) => organizations.find((one) => one.name === name)?.id as string
const statusOf = (name: string) =>
  company.db.first(q.selectFrom('organizations').select('status').where('id', '=', idOf(name)))?.status
const toDanger = async (name: string, on = page) => {
  await on.goto(`/organizations/${idOf(name)}?tab=danger`)
  await on.getByRole('heading', { name: 'Danger zone' }).waitFor()
}
const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
/** The sweep that the appliance runs every five minutes. */
const sweep = async () => {
  await page.goto('/system/appliance?tab=jobs')
  const run = button('Run now: tenants.sweep')
  const runs = () =>
    company.db.first(q.selectFrom('job_runs').select('last_finished_at').where('name', '=', 'tenants.sweep'))
  const before = runs()?.last_finished_at
  await run.click()
  await soon(() => runs()?.last_finished_at).not.toBe(before)
}

test('suspending an organization names what it affects, and the notice resumes it', async () => {
  await toDanger('Harbour Logistics 1')
  await look(page, 'danger-zone')
  await button('Suspend…').click()
  await dialog().getByText('6 devices keep reporting, but can’t be managed.').waitFor()
  await dialog().getByText('It has no people of its own who could sign in.').waitFor()
  await look(page, 'suspend')
  const described = await dialog().getAttribute('aria-describedby')
  const spoken = await Promise.all((described ?? '').split(' ').map((id) => page.locator(`id=${id}`).textContent()))
  expect(spoken.join(' ')).toMatch(/^org-1, 6 devices .*resume it at any time\.$/)
  // The focus is on “Cancel”.
  await page.keyboard.press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  await button('Suspend…').click()
  await confirm('Suspend')
  await noticeAppears(page, 'Harbour Logistics 1 is suspended')
  await page.getByText('Devices still report, but can’t be changed').waitFor()
  await look(page, 'suspended')
  expect(statusOf('Harbour Logistics 1')).toBe('suspended')
  await button('Resume…').click()
  await confirm('Resume')
  await noticeAppears(page, 'Harbour Logistics 1 is active again')
  await soon(() => button('Resume…').count()).toBe(0)
})

test('a trial starts and ends', async () => {
  await toDanger('Lantern Logistics 2')
  await button('Mark as trial…').click()
  await confirm('Mark as trial')
  await button('Make active…').click()
  await confirm('Make active')
  await button('Mark as trial…').waitFor()
  expect(statusOf('Lantern Logistics 2')).toBe('active')
})

test('closing an organization asks for a second factor, shows the progress of its agents and can be called off', async () => {
  await toDanger('Harbour Logistics 1')
  await button('Close…').click()
  await dialog().getByText('6 agents uninstall themselves.').waitFor()
  await dialog().getByText('org-1, 6 devices').waitFor()
  expect(await dialog().getByRole('button', { name: 'Close organization' }).isDisabled()).toBe(true)
  await dialog().getByRole('textbox').fill('Harbour Logistics 1')
  await look(page, 'close')
  await confirm('Close organization')
  await enrolPasskey(page)
  await page.getByText('0 of 6 agents removed, 6 to go.').waitFor()
  const [gone] = organizations[0]?.sites[0]?.deviceIds ?? []
  const at = new Date().toISOString()
  company.db.transaction(() => {
    company.db.run(
      q
        .updateTable('device_commands')
        .set({ status: 'completed', completed_at: at })
        .where('device_id', '=', gone as string)
        .where('type', '=', 'self_uninstall'),
    )
    company.db.run(
      q
        .updateTable('devices')
        .set({ status: 'decommissioned' })
        .where('id', '=', gone as string),
    )
  })
  await page.getByText('1 of 6 agents removed, 5 to go.').waitFor()
  await look(page, 'closing')
  await button('Cancel closing…').click()
  await dialog().getByText('Devices without an agent have to be enrolled again.').waitFor()
  await look(page, 'call-off')
  await confirm('Cancel closing')
  await noticeAppears(page, 'Harbour Logistics 1 is active again')
  await soon(() => page.getByText('agents removed').count()).toBe(0)
  expect(statusOf('Harbour Logistics 1')).toBe('active')
})

test('an organization without devices is closed at once and can be reopened', async () => {
  await toDanger('Harbour Law 21')
  await button('Close…').click()
  await dialog().getByText('It has no devices.').waitFor()
  await confirm('Close organization')
  await page.getByText('devices no longer report').waitFor()
  await look(page, 'ended')
  await page.getByText('can’t be archived or merged').waitFor()
  expect(await button('Close…').count()).toBe(0)
  expect(await button('Remove agents…').count()).toBe(0)
  await page.getByRole('tab', { name: 'Devices' }).click()
  await page.getByText('Devices can’t join until it is reopened.').waitFor()
  expect(await page.getByRole('main').getByRole('button', { name: 'Add a device' }).count()).toBe(0)
  await page.goto(`/organizations/${idOf('Harbour Law 21')}?dialog=add-device`)
  await dialog().getByText('Harbour Law 21 is closed. Devices can’t join until it is reopened.').waitFor()
  await page.keyboard.press('Escape')
  await button('Reopen…').click()
  await confirm('Reopen')
  await noticeAppears(page, 'Harbour Law 21 is active again')
})

test('an organization is archived for 30 days, shown read-only and restored with a report', async () => {
  await toDanger('Lantern Law 22')
  await button('Archive…').click()
  await dialog().getByLabel('Delete permanently after some days').check()
  await dialog().getByLabel('Days', { exact: true }).fill('4000')
  await dialog().getByText('Enter 1 to 3,650 days').waitFor()
  await dialog().getByLabel('Days', { exact: true }).fill('30')
  await dialog()
    .getByText(/^All data will be deleted on /)
    .waitFor()
  await dialog()
    .getByLabel(/to confirm$/)
    .fill('Lantern Law 22')
  await look(page, 'archive')
  await confirm('Archive')
  await page.getByText('Deletion in 30 days.').waitFor()
  await page.getByText('Not shown while archived').waitFor()
  expect(await page.getByRole('tab').count()).toBe(0)
  await page.getByText(/^Archived by Ada Admin on /).waitFor()
  await look(page, 'archived')
  await page.getByRole('link', { name: 'History' }).click()
  await button('Remove filter Target: Lantern Law 22').waitFor()
  await page
    .getByRole('row', { name: /Archived an organization/ })
    .first()
    .waitFor()
  await page.goBack()
  await button('Restore…').click()
  await look(page, 'restore')
  await confirm('Restore')
  await page.getByRole('dialog', { name: 'Lantern Law 22 was restored' }).waitFor()
  await dialog().getByText('Create new enrollment keys; all old ones have expired').waitFor()
  await look(page, 'restored')
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Sites' }).waitFor()
  expect(statusOf('Lantern Law 22')).toBe('active')
})

test('a suspended organization is archived at once and kept until it is restored', async () => {
  company.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', idOf('Alder Law 23')))
  await toDanger('Alder Law 23')
  await button('Archive…').click()
  await dialog().getByText('they’re disconnected immediately').waitFor()
  expect(await dialog().getByLabel('Keep until restored').isChecked()).toBe(true)
  await confirm('Archive')
  await noticeAppears(page, 'Alder Law 23 was archived')
  await page.getByText('Archived and read-only until restored').waitFor()
  expect(await page.getByText(/^Deletion /).count()).toBe(0)
})

test('an organization is deleted when its retention ends, and the list shows the progress', async () => {
  const id = idOf('Alder Law 23')
  const past = new Date(Date.now() - 60_000).toISOString()
  company.db.run(q.updateTable('organizations').set({ purge_at: past }).where('id', '=', id))
  await page.goto(`/organizations/${id}`)
  await page.getByText('Deletion is due and starts within five minutes.').waitFor()
  await sweep()
  await soon(() => statusOf('Alder Law 23')).toBeUndefined()
  await page.goto(`/organizations/${id}`)
  await page.getByRole('heading', { name: 'Alder Law 23 was deleted' }).waitFor()
  await look(page, 'organization-deleted')

  const partner = company.db.first(q.selectFrom('partners').select('id')) as { id: string }
  const task = { kind: 'organization.erase', org_id: randomUUIDv7(), partner_id: partner.id, created_at: past }
  const progress = JSON.stringify({ done: 1200, total: 4800, table: 'devices', rows: {} })
  const input = JSON.stringify({ orgName: 'Copper Works' })
  const active = { state: 'active', lease_until: '2999-01-01T00:00:00.000Z', progress, input } as const
  company.db.run(q.insertInto('tasks').values({ ...task, ...active, id: 'half-done' }))
  await page.goto('/organizations?archived=1&search=Meadow+Law')
  await page.getByRole('heading', { name: 'Being deleted' }).waitFor()
  await page.getByText('1,200 of 4,800 records deleted').waitFor()
  await page.getByText('Alder Law 23').waitFor()
  await look(page, 'being-deleted')
  company.db.run(q.deleteFrom('tasks').where('id', '=', 'half-done'))
})

test('deleting asks for the name to be typed and returns to the list', async () => {
  await toDanger('Copper Law 24')
  await button('Delete…').click()
  const typed = dialog().getByRole('textbox')
  await typed.fill('Copper law 24')
  await look(page, 'delete-organization')
  await page.keyboard.press('Enter')
  expect(statusOf('Copper Law 24')).toBe('active')
  await typed.fill('Copper Law 24')
  await page.keyboard.press('Enter')
  await noticeAppears(page, 'Copper Law 24 was deleted')
  await page.waitForURL('**/organizations')
  expect(statusOf('Copper Law 24')).toBe('churned')
  await page.goto(`/organizations/${idOf('Copper Law 24')}`)
  await page.getByRole('heading', { name: 'Copper Law 24 was deleted' }).waitFor()
  await page.getByText('Its short name stays reserved.').waitFor()
  await page.goto('/organizations?archived=1&search=Meadow+Law')
  await page.getByRole('heading', { name: 'Recently deleted or merged' }).waitFor()
  await page.getByText('Copper Law 24').waitFor()
})

test('a refused archive shows its reason in the dialog', async () => {
  await toDanger('Meadow Law 25')
  await button('Archive…').click()
  company.db.run(q.updateTable('organizations').set({ status: 'churned' }).where('id', '=', idOf('Meadow Law 25')))
  await confirm('Archive')
  await dialog().getByRole('alert').getByText('Only active, trial or suspended organizations').waitFor()
  await page.getByText('enrollment keys have expired').waitFor()
  await look(page, 'archive-refused')
})

test('an operator sees which actions are reserved for people of the company', async () => {
  const other = await company.signIn(operator.email)
  await toDanger('Lantern Logistics 2', other)
  await other.getByText('Only people of the company can close').waitFor()
  for (const kept of ['Close…', 'Archive…', 'Merge…'])
    expect(await other.getByRole('button', { name: kept, exact: true }).count(), kept).toBe(0)
  await other.getByRole('button', { name: 'Suspend…', exact: true }).waitFor()
  await look(other, 'danger-zone-operator')
  await leave(other)
})
