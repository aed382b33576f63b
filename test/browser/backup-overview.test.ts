import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { login } from '../../shared/api/auth.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { runJob } from '../../shared/api/system.ts'
import { ada, type Company, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** How backups stand, in the console: of four devices one is well, one fails, one is incomplete and one is not protected. */

const day = 86_400_000

let company: Company
let page: Page
let org: SeededOrganization
let token: string
let devices: string[]
let configId: string

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 2 }) as [SeededOrganization]
  devices = org.sites.flatMap(({ deviceIds }) => deviceIds)
  const call = callsTo(company.origin)
  const reply = await call(login, { body: { email: ada.email, password } })
  token = 'tokens' in reply && reply.tokens ? reply.tokens.accessToken : ''
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

async function protect(): Promise<string> {
  const call = callsTo(company.origin)
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  const config = await call(createBackupConfig, { query: { orgId: org.id }, body: storage }, token)
  const { id } = await call(createPolicy, { body: { orgId: org.id, name: 'Nightly' } }, token)
  const inlineSettings = {
    backupMode: 'file',
    targets: { paths: ['/home'] },
    schedule: { frequency: 'daily', time: '02:00' },
    retention: { preset: 'standard', keepDaily: 7, keepWeekly: 4, keepMonthly: 3 },
  }
  await call(addPolicyLink, { params: { id }, body: { featureType: 'backup', inlineSettings } }, token)
  for (const targetId of devices.slice(0, 3))
    await call(assignPolicy, { params: { id }, body: { level: 'device', targetId } }, token)
  return config.id
}

/** A backup that ended so some hours ago, with its snapshot. */
function ended(deviceId: string, configId: string, status: 'completed' | 'partial' | 'failed', hoursAgo: number) {
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
  const id = randomUUIDv7()
  company.db.run(
    q.insertInto('backup_jobs').values({
      ...{ id, status, org_id: org.id, device_id: deviceId, config_id: configId, type: 'scheduled' },
      ...{ backup_mode: 'file', selection: '{"mode":"file","targets":{"paths":["/home"]}}' as never },
      ...{ created_at: at, started_at: at, completed_at: at, updated_at: at, dispatched_at: at },
      error_log: status === 'failed' ? 'Fatal: unable to open repository: connection refused' : null,
    }),
  )
  if (status === 'failed') return
  company.db.run(
    q.insertInto('backup_snapshots').values({
      ...{ id: randomUUIDv7(), org_id: org.id, device_id: deviceId, config_id: configId, job_id: id, label: 'Backup' },
      ...{ snapshot_id: id, timestamp: at, size: 40_000_000_000, file_count: 9000 },
      ...{ backup_type: 'file', backup_mode: 'file', created_at: at, updated_at: at },
    }),
  )
}

/** What the repository of a device takes now, and what it took on the days before. */
function stored(deviceId: string, configId: string): void {
  const at = new Date().toISOString()
  const keyId = randomUUIDv7()
  const stamps = { created_at: at, updated_at: at }
  const key = { id: keyId, org_id: org.id, name: 'Key', encrypted_private_key: 'sealed', key_hash: 'hash', ...stamps }
  company.db.run(q.insertInto('storage_encryption_keys').values(key))
  company.db.run(
    q.insertInto('backup_repositories').values({
      ...{ id: randomUUIDv7(), org_id: org.id, config_id: configId, device_id: deviceId, sub_path: 'a/b' },
      ...{ key_id: keyId, state: 'ready', stored_bytes: 31_000_000_000, ...stamps },
    }),
  )
  for (let ago = 1; ago < 14; ago++) {
    const date = new Date(Date.now() - ago * day).toISOString().slice(0, 10)
    const row = { id: randomUUIDv7(), org_id: org.id, site_id: org.sites[0]?.id ?? '', day: date }
    company.db.run(q.insertInto('backup_usage_days').values({ ...row, stored_bytes: 30_000_000_000 - ago * 1.4e9 }))
  }
}

const panel = (name: string) => page.getByRole('heading', { name, level: 2 }).locator('xpath=../..')
const list = () => page.getByRole('table', { name: 'Protection of each device' })
const row = (name: string) => list().getByRole('row').filter({ hasText: name })
const tabIcon = () => page.locator('link[rel~="icon"]').getAttribute('href')
const refreshed = () => callsTo(company.origin)(runJob, { params: { name: 'backup.attention' } }, token)

test('an organization without backups is told what to do', async () => {
  await page.goto('/backup/overview')
  await panel('Needs attention').getByText('No device is protected yet.').waitFor()
  await panel('Devices').getByRole('link', { name: 'Not protected 4' }).waitFor()
  await panel('Running now').getByText('No backup is running.').waitFor()
  await look(page, 'backup-overview-empty')
  expect(await tabIcon()).toBe('/icon.svg')
})

test('a first backup that waits is said and counted, and nothing is all clear without restic', async () => {
  configId = await protect()
  company.db.statement(`UPDATE devices SET backup_version = 'restic/0.18.0'`).run()
  const [first = ''] = devices
  const at = new Date().toISOString()
  company.db.run(
    q.insertInto('backup_jobs').values({
      ...{ id: randomUUIDv7(), status: 'pending', org_id: org.id, device_id: first, config_id: configId },
      ...{ type: 'manual', backup_mode: 'file', selection: '{"mode":"file","targets":{"paths":["/home"]}}' as never },
      ...{ created_at: at, updated_at: at },
    }),
  )
  await page.goto('/backup/overview')
  await panel('Devices').getByRole('link', { name: 'First backup under way 1' }).waitFor()
  await panel('Devices').getByRole('link', { name: 'Never backed up 2' }).waitFor()
  await row('head-office-pc-1').getByText('First backup under way').waitFor()
  await row('head-office-pc-2').getByText('Never backed up').waitFor()
  await panel('Needs attention').getByText('Nothing needs your attention.').waitFor()

  await page.route('**/backup/maintenance*', async (route) => {
    const answer = await route.fetch()
    const { data } = await answer.json()
    await route.fulfill({ json: { data: { ...data, engineAvailable: false } } })
  })
  await page.reload()
  await panel('Needs attention')
    .getByRole('link', { name: /^The appliance has no restic/ })
    .waitFor()
  expect(await page.getByText('Nothing needs your attention.').count()).toBe(0)
  await look(page, 'backup-overview-no-engine')
  await page.unroute('**/backup/maintenance*')
  company.db.run(q.deleteFrom('backup_jobs'))
})

test('what is wrong leads to where it is solved, devices are found by state, and auditors get a file', async () => {
  const [well = '', failing = '', partial = ''] = devices
  for (const [deviceId, status] of [
    [well, 'completed'],
    [partial, 'partial'],
  ] as const)
    ended(deviceId, configId, status, 8)
  ended(failing, configId, 'completed', 60)
  for (const hoursAgo of [32, 8]) ended(failing, configId, 'failed', hoursAgo)
  stored(well, configId)
  await refreshed()
  await page.goto('/')
  await page.getByRole('link', { name: /^The backup of head-office-pc-2 failed/ }).waitFor()
  await expect.poll(tabIcon).toBe('/icon-attention.svg')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  const attention = panel('Needs attention')
  await attention.getByRole('link', { name: /^Critical: ?Backups of head-office-pc-2 fail/ }).waitFor()
  await attention.getByRole('link', { name: /^Warning: ?The backup of warehouse-pc-1 is incomplete/ }).waitFor()
  await panel('Last 24 hours').getByText('Failed').waitFor()
  await panel('Storage use').getByText('3 snapshots of 111.8 GB in total, stored in 28.9 GB.').waitFor()
  await row('head-office-pc-1').getByText('Protected').waitFor()
  await look(page, 'backup-overview')

  await panel('Devices').getByRole('link', { name: 'Failing 1' }).click()
  await expect.poll(() => page.url()).toContain('state=failing')
  await expect.poll(() => list().getByRole('row').count()).toBe(2)
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('nothing')
  await page.getByText('No devices match').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await row('warehouse-pc-2').getByText('Not protected').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n')
  expect(lines).toHaveLength(5)
  expect(lines.find((line) => line.includes('warehouse-pc-2'))).toContain('"unprotected"')

  await attention.getByRole('link', { name: /Backups of head-office-pc-2 fail/ }).click()
  await page.getByRole('heading', { name: 'Backup of head-office-pc-2' }).waitFor()
  await page.getByRole('link', { name: 'head-office-pc-2' }).click()
  await page.getByText('The device couldn’t reach the storage.').waitFor()
  await page.getByText('Last failure').waitFor()
  await look(page, 'backup-device-failing')
})

test('what needs attention and cannot be found out is not shown as all clear', async () => {
  await page.route('**/backup/dashboard*', async (route) => {
    const answer = await route.fetch()
    const { data } = await answer.json()
    await route.fulfill({ json: { data: { ...data, attentionItems: [], attentionCount: 0, attentionError: true } } })
  })
  await page.goto('/backup/overview')
  await panel('Needs attention').getByText('This couldn’t be found out').waitFor()
  expect(await page.getByText('Nothing needs your attention.').count()).toBe(0)
  await look(page, 'backup-overview-unknown')
  await page.unroute('**/backup/dashboard*')
})

test('people are mailed whom the policy names, at first the one who protects', async () => {
  await page.goto('/backup/protection')
  await page.getByRole('button', { name: 'Actions for Nightly' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Nightly' })
  const field = edit.getByLabel('Email problems to')
  await field.fill('nobody')
  await field.press('Enter')
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.getByText('“nobody” isn’t an email address').waitFor()
  await field.press('Backspace')
  await field.fill('ops@northwind.test')
  await look(page, 'backup-policy-mail')
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.waitFor({ state: 'hidden' })
  const { inline_settings: kept } = company.db.one(
    q.selectFrom('config_policy_feature_links').select('inline_settings'),
  )
  expect(JSON.parse(String(kept))).toMatchObject({ notify: { emails: ['ops@northwind.test'] } })

  await page.getByRole('button', { name: 'Protect devices' }).first().click()
  const wizard = page.getByRole('dialog', { name: 'Protect devices' })
  for (const _ of ['what', 'when', 'keep']) await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByText(ada.email).waitFor()
  await look(page, 'backup-protect-mail')
  await page.keyboard.press('Escape')
})

test('who may only read sees the overview without what changes something', async () => {
  await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test', role: 'Partner Viewer' })
  const viewer = await company.signIn('vera@northwind.test', '/backup/overview')
  await viewer.getByRole('heading', { name: 'Backup overview' }).waitFor()
  expect(await viewer.getByRole('button', { name: 'Protect devices' }).count()).toBe(0)
  await leave(viewer)
})
