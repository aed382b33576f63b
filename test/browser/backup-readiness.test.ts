import { randomUUIDv7 } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { runJob } from '../../shared/api/system.ts'
import { quickRepositoryOf } from '../helpers/stored-snapshot.ts'
import { isThorough } from '../helpers/thorough.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Could devices be brought back? What lowers a score, and how a click removes it. */

const day = 86_400_000

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice
let spare: ConnectedDevice
let token: string
/** The test restores that till-1 was asked for. */
const asked: unknown[] = []

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  org = (seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization])[0]
  till = await connectNewDevice(company, org, 'till-1')
  spare = await connectNewDevice(company, org, 'till-2')
  token = await tokenOfAda(company)
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await spare?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

const call: ReturnType<typeof callsTo> = (endpoint, input, as = token) => callsTo(company.origin)(endpoint, input, as)
const job = (name: string) => call(runJob, { params: { name } })

/** All devices of the organization have a policy; till-1 has a backup that restic can read. */
async function protect(): Promise<void> {
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  await call(createBackupConfig, { query: { orgId: org.id }, body: storage })
  const { id: policyId } = await call(createPolicy, { body: { orgId: org.id, name: 'Nightly' } })
  const inlineSettings = {
    backupMode: 'file',
    targets: { paths: ['/home'] },
    schedule: { frequency: 'daily', time: '02:00' },
  }
  await call(addPolicyLink, { params: { id: policyId }, body: { featureType: 'backup', inlineSettings } })
  await call(assignPolicy, { params: { id: policyId }, body: { level: 'organization', targetId: org.id } })
  await job('backup.attention')

  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'notes.txt'), 'notes')
  const { id } = await call(runBackup, { params: { deviceId: till.deviceId }, query: {} })
  const { payload } = await till.socket.frame((frame) => frame.id === id)
  const { repositoryId } = (payload as { engine: { repositoryId: string } }).engine
  const engine = restic(quickRepositoryOf(company, repositoryId), quickPassword)
  await engine.ok('backup', source)
  const [made] = JSON.parse(await engine.ok('snapshots', '--json')) as [{ id: string }]
  const result = { status: 'completed', snapshotId: made.id, filesBackedUp: 1, bytesBackedUp: 5 }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await till.socket.settled()
}

interface Seeded {
  deviceId: string
  ageMs?: number
  status?: 'passed' | 'failed'
  type?: 'integrity' | 'test_restore'
  seconds?: number
}

/** A check that ended so long ago. */
function checked({ deviceId, ageMs = 0, status = 'passed', type = 'test_restore', seconds = 120 }: Seeded): void {
  const at = new Date(Date.now() - ageMs).toISOString()
  company.db.run(
    q.insertInto('backup_verifications').values({
      ...{ id: randomUUIDv7(), org_id: org.id, device_id: deviceId, snapshot_taken_at: at, verification_type: type },
      ...{ status, source: 'scheduled', ran_on: 'device', started_at: at, completed_at: at },
      ...{ created_at: at, updated_at: at, restore_time_seconds: type === 'test_restore' ? seconds : null },
      ...(status === 'failed' && { details: '{"reason":"The disk was full"}' as never }),
    }),
  )
}

async function askedToRestore(): Promise<unknown> {
  const { id } = await till.socket.frame(({ type, id }) => type === 'backup_test_restore' && !asked.includes(id))
  asked.push(id)
  return id
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const panel = (name: string) => page.getByRole('heading', { name, level: 2, exact: true }).locator('xpath=../..')
const table = () => page.getByRole('table', { name: 'Recovery readiness of each device' })
const row = (name: string) => table().getByRole('row').filter({ hasText: name })
const rows = () => table().locator('tbody tr')

test('without a protected device nothing is called ready', async () => {
  await page.goto('/backup/readiness')
  await page.getByText('No device is protected', { exact: true }).waitFor()
  await page.getByText('If a device is lost, so is what is on it.', { exact: false }).waitFor()
  await look(page, 'backup-readiness-none')
  await page.getByRole('link', { name: 'Protect devices' }).click()
  await page.waitForURL('**/backup/protection')
})

test('a device that was never checked is checked from the list, and each risk goes with its click', async () => {
  await protect()
  await page.goto('/backup/overview')
  await page.getByRole('heading', { name: 'Backup overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Search' }).fill('disaster')
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /^Readiness/ })
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('x')
  await page.waitForURL('**/backup/readiness')
  await panel('Summary').getByText('4 devices could hardly be brought back', { exact: false }).waitFor()
  await panel('Summary')
    .getByText('A device is critical if its page has the tag critical, tier0 or tier1.', { exact: false })
    .waitFor()
  await row('head-office-pc-1').getByText('There is no backup of this device yet.').waitFor()
  await row('head-office-pc-1').getByText('Everything: no backup yet').waitFor()
  await row('till-1').getByText('No backup of this device was ever checked.').waitFor()
  await row('till-1').getByText('Not measured yet').waitFor()
  await row('till-1').getByText('0 · At risk').waitFor()
  await look(page, 'backup-readiness-unchecked')

  await button('Check now: till-1').click()
  await noticeAppears(page, 'Data check of till-1 requested')
  await row('till-1').getByText('50 · At risk').waitFor()
  expect(await row('till-1').getByText('ever checked').count()).toBe(0)
  await row('till-1').getByText('No test restore was made in the last 30 days.').waitFor()

  await button('Run a test restore: till-1').click()
  const id = await askedToRestore()
  await row('till-1').getByText('Test restore under way').waitFor()
  expect(await button('Run a test restore: till-1').count()).toBe(0)
  await look(page, 'backup-readiness-running')
  const counts = { filesVerified: 1, filesFailed: 0, sizeBytes: 5, checksumsCompared: 1 }
  const result = { status: 'passed', ...counts, restoreTimeSeconds: 130, cleanedUp: true }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await row('till-1').getByText('100 · Ready').waitFor()
  await row('till-1').getByText('About 3 min').waitFor()
  await row('till-1').getByText('None', { exact: true }).waitFor()
  await panel('Summary').getByRole('link', { name: 'Ready, 85 and above 1' }).waitFor()

  await button('Back up now: till-2').click()
  const backup = await spare.socket.frame(({ type }) => type === 'backup_run')
  const made = { status: 'completed', snapshotId: 'ab'.repeat(32), filesBackedUp: 1, bytesBackedUp: 5 }
  spare.socket.send({ type: 'command_result', commandId: backup.id, status: 'completed', result: made })
  await row('till-2').getByText('No backup of this device was ever checked.').waitFor()
})

test('what is long ago is checked again; of what failed and what is slow it is said where to look', async () => {
  const [first = ''] = org.sites[0]?.deviceIds ?? []
  const longAgo = new Date(Date.now() - 40 * day).toISOString()
  company.db.run(q.updateTable('backup_verifications').set({ completed_at: longAgo, created_at: longAgo }))
  checked({ deviceId: first, ageMs: 2 * day, status: 'failed', seconds: 3000 })
  for (let ago = 1; ago <= 7; ago++) checked({ deviceId: first, ageMs: ago * 1000, seconds: 3000 })
  await page.goto('/backup/readiness')
  await button('Recalculate').click()
  await row('till-1').getByText('The last check was 40 days ago.').waitFor()
  await button('Check now: till-1').click()
  await expect.poll(() => row('till-1').getByText('The last check was').count()).toBe(0)

  await row('head-office-pc-1').getByText('1 of the last 8 checks failed.').waitFor()
  await row('head-office-pc-1').getByText('One check that passes doesn’t remove this', { exact: false }).waitFor()
  await row('head-office-pc-1').getByText('A restore takes about 50 minutes.').waitFor()
  await look(page, 'backup-readiness')
  await row('head-office-pc-1').getByRole('link', { name: 'Compare with SLAs' }).click()
  await page.waitForURL('**/backup/sla**')
  await page.goBack()
  await row('head-office-pc-1').getByRole('link', { name: 'Show failed check' }).click()
  // It is older than those that are shown at first.
  await panel('Checks').getByText('The disk was full.').waitFor()
  await panel('Recovery readiness').getByText('1 of the last 8 checks failed.').waitFor()
  await look(page, 'backup-readiness-failed-check')
})

test('the tab of a device answers whether, how fast and with what loss, and each risk goes there as well', async () => {
  await page.goto(`/devices/${till.deviceId}?tab=backup`)
  const answers = panel('Recovery readiness')
  await answers.getByText('Partly ready: 80 of 100').waitFor()
  await answers.getByText(/^(Less than a minute|The last \d+ (s|min).*)$/).waitFor()
  await look(page, 'backup-readiness-device')
  await answers.getByRole('button', { name: 'Run a test restore: till-1' }).click()
  const id = await askedToRestore()
  await answers.getByText('Test restore under way').waitFor()
  const result = { status: 'passed', filesVerified: 1, filesFailed: 0, sizeBytes: 5, restoreTimeSeconds: 30 }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await answers.getByText('Ready: 100 of 100').waitFor()
  await answers.getByText('None', { exact: true }).waitFor()
})

test('people who may not check see the risks only, and people without access to backups nothing', async () => {
  await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test', role: 'Partner Viewer' })
  await company.hire({ name: 'Bill Booker', email: 'bill@northwind.test', role: 'Partner Billing' })
  const hers = await company.signIn('vera@northwind.test', '/backup/readiness')
  const list = hers.getByRole('table', { name: 'Recovery readiness of each device' })
  await list.getByText('There is no backup of this device yet.').waitFor()
  await list.getByRole('link', { name: 'Show failed check' }).waitFor()
  expect(await list.getByRole('button').count()).toBe(0)
  await leave(hers)
  const his = await company.signIn('bill@northwind.test', '/backup/readiness')
  await his.getByText('You don’t have access to this page').waitFor()
  expect(await his.getByRole('link', { name: 'Readiness' }).count()).toBe(0)
  await leave(his)
})

test('of many devices a page is shown, and all that the filter leaves are printed, without anything to click', async () => {
  const siteId = org.sites[0]?.id ?? ''
  const at = new Date().toISOString()
  const stamps = { created_at: at, updated_at: at }
  company.db.transaction(() => {
    for (let n = 1; n <= 1100; n++) {
      const id = randomUUIDv7()
      const place = { org_id: org.id, site_id: siteId }
      company.db.run(
        q.insertInto('devices').values({
          ...{ id, ...place, agent_id: randomUUIDv7(), hostname: `desk-${String(n).padStart(4, '0')}` },
          ...{ os_type: 'windows', status: 'offline', enrolled_at: at, ...stamps },
        }),
      )
      company.db.run(
        q.insertInto('backup_readiness').values({
          ...{ id: randomUUIDv7(), org_id: org.id, device_id: id, readiness_score: n % 5 === 0 ? 60 : 90 },
          ...{ estimated_rto_minutes: 4, newest_backup_at: at, last_checked_at: at, last_test_restore_at: at },
          ...{ risk_factors: '[]' as never, is_low: 0 as const, calculated_at: at },
        }),
      )
    }
  })
  await page.goto('/backup/readiness')
  await rows().nth(49).waitFor()
  expect(await rows().count()).toBe(50)
  await page.getByText('1–50 of 1,104 devices').waitFor()
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await page.getByText('51–100 of 1,104 devices').waitFor()
  await panel('Summary')
    .getByRole('link', { name: /^At risk, below 70/ })
    .click()
  await page.getByText(/^1–50 of 22\d devices$/).waitFor()
  await page.getByLabel('Search devices').fill('DESK-10')
  await page.getByText('20 devices', { exact: true }).waitFor()
  await page.getByLabel('Search devices').fill('nothing like it')
  await page.getByText('No devices match').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByText('1–50 of 1,104 devices').waitFor()

  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print' })
  expect(await rows().count()).toBe(1000)
  await page.locator('main').getByText(org.name, { exact: true }).waitFor()
  await page.getByText('1,104 devices. The 1,000 with the lowest scores', { exact: false }).waitFor()
  await page.getByText(/Northwind.* · Homeport · .*\d/).waitFor()
  expect(await page.getByRole('button').count(), 'nothing to click').toBe(0)
  expect(await page.getByRole('navigation', { includeHidden: true }).first().isVisible()).toBe(false)
  expect(await page.getByText('Show failed check').first().isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await expect.poll(() => rows().count()).toBe(50)
})

test('where an organization has to be chosen, each page about backups stays open, with that organization', async () => {
  seedOrganizations(company.db, 1, { sites: 1, slugs: 'other' })
  const others = ['overview', 'protection', 'jobs', 'files', 'restores', 'storage', 'second-copies', 'usage', 'keys']
  for (const path of ['readiness', 'sla', ...(isThorough ? others : [])]) {
    await page.goto(`/backup/${path}`)
    await button('Choose organization').waitFor()
    expect(await button(/^(New (SLA|key)|Add (storage|second copy)|Recovery sheet)$/).count(), 'of nothing yet').toBe(0)
    await button('Choose organization').click()
    await page.getByRole('dialog').getByText(org.name).first().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL(`**/backup/${path}?org=**`)
    if (path === 'sla') await button('New SLA').first().waitFor()
  }
})
