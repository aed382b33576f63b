import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { runJob } from '../../shared/api/system.ts'
import { tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedGroup, seedOrganizations } from './tenants.ts'

/** What is promised about backups: an SLA is made, is not met on one device, is met again, and goes. */

const hour = 3_600_000

let company: Company
let page: Page
let org: SeededOrganization
let token: string
let devices: string[]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  devices = org.sites.flatMap(({ deviceIds }) => deviceIds)
  company.db.run(q.updateTable('devices').set({ enrolled_at: '2026-01-01T00:00:00.000Z' }))
  seedGroup(company.db, org.id, null, 'Servers', [])
  token = await tokenOfAda(company)
  await protect()
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

async function protect(): Promise<void> {
  const call = callsTo(company.origin)
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  await call(createBackupConfig, { query: { orgId: org.id }, body: storage }, token)
  const { id } = await call(createPolicy, { body: { orgId: org.id, name: 'Nightly' } }, token)
  const inlineSettings = {
    backupMode: 'file',
    targets: { paths: ['/home'] },
    schedule: { frequency: 'daily', time: '02:00' },
  }
  await call(addPolicyLink, { params: { id }, body: { featureType: 'backup', inlineSettings } }, token)
  await call(assignPolicy, { params: { id }, body: { level: 'organization', targetId: org.id } }, token)
  await check('backup.attention')
}

const check = (name: string) => callsTo(company.origin)(runJob, { params: { name } }, token)

function backedUp(deviceId: string, hoursAgo: number): void {
  const at = new Date(Date.now() - hoursAgo * hour).toISOString()
  company.db.run(
    q.insertInto('backup_jobs').values({
      ...{ id: randomUUIDv7(), status: 'completed', org_id: org.id, device_id: deviceId, type: 'scheduled' },
      ...{ backup_mode: 'file', selection: '{"mode":"file","targets":{"paths":["/home"]}}' as never },
      ...{ created_at: at, started_at: at, completed_at: at, updated_at: at, dispatched_at: at },
    }),
  )
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const panel = (name: string) => page.getByRole('heading', { name, level: 2, exact: true }).locator('xpath=../..')
const slaRow = (name: string) => page.getByRole('table', { name: 'SLAs' }).getByRole('row').filter({ hasText: name })

test('an SLA is made, and what is not met is said at once with what to do', async () => {
  const [first = '', second = ''] = devices
  backedUp(first, 2)
  backedUp(second, 50)
  await page.goto('/backup/sla')
  await page.getByText('No SLA yet').waitFor()
  await look(page, 'backup-sla-none')
  await button('New SLA').first().click()
  const dialog = page.getByRole('dialog', { name: 'New SLA' })
  await dialog.getByRole('button', { name: 'Create SLA' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByLabel('Name').fill('Daily backups')
  await dialog.getByLabel('Selected devices and groups').check()
  await dialog.getByRole('button', { name: 'Create SLA' }).click()
  await dialog.getByText('Choose a device or a group').waitFor()
  await look(page, 'backup-sla-form')
  await dialog.getByLabel('Every device that a backup policy protects').check()
  await dialog.getByRole('button', { name: 'Create SLA' }).click()
  await dialog.waitFor({ state: 'detached' })
  await slaRow('Daily backups').getByText('Not met on 1 device').waitFor()
  await slaRow('Daily backups').getByText('26 hours old').waitFor()
  const name = 'head-office-pc-2'
  await panel('Not met now')
    .getByRole('link', { name: new RegExp(`${name}: Newest backup was 2 d 2 h old`) })
    .waitFor()
  await panel('Summary').getByText('0 of 1').waitFor()
  await panel('History').getByText('Not met on some device on 1 day of the last 30.').waitFor()
  await panel('Breaches').getByText('Backup too old').waitFor()
  await look(page, 'backup-sla')
})

test('it shows on the overview and on the home page, each leading to the page', async () => {
  await page.goto('/backup/overview')
  await panel('Needs attention')
    .getByRole('link', { name: /head-office-pc-2 doesn’t meet its SLA/ })
    .click()
  await page.waitForURL('**/backup/sla**')
  await page.goto('/')
  await page.getByRole('link', { name: /SLA not met on head-office-pc-2/ }).click()
  await page.waitForURL('**/backup/sla**')
})

test('it is changed, turned off and on, met again, and deleted', async () => {
  await page.goto('/backup/sla')
  await button('Actions for Daily backups').click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Daily backups' })
  await dialog.getByLabel('A restore takes at most').fill('2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await slaRow('Daily backups').getByText('2 hours', { exact: true }).waitFor()
  await button('Actions for Daily backups').click()
  await page.getByRole('menuitem', { name: 'Turn off' }).click()
  await slaRow('Daily backups').getByText('Off').waitFor()
  await panel('Not met now').getByText('Every SLA that is on is met.').waitFor()
  await button('Actions for Daily backups').click()
  await page.getByRole('menuitem', { name: 'Turn on' }).click()
  await slaRow('Daily backups').getByText('Not met on 1 device').waitFor()
  backedUp(devices[1] ?? '', 0)
  await check('backup.sla')
  // The live event brings it.
  await slaRow('Daily backups').getByText('Met', { exact: true }).waitFor()
  await panel('Breaches').getByRole('combobox', { name: 'State' }).click()
  await chooseOption(page.getByRole('option', { name: 'Over', exact: true }))
  await expect.poll(() => panel('Breaches').getByRole('row').filter({ hasText: 'Over' }).count()).toBeGreaterThan(1)
  await look(page, 'backup-sla-met')
  await button('Actions for Daily backups').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete SLA' }).click()
  await page.getByText('No SLA yet').waitFor()
})
