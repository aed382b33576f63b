import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import type { UnusualChange } from '../../shared/api/unusual-changes.ts'
import { dir, file } from '../helpers/listings.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { seedSnapshots } from './seeded-snapshots.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** A change that looks like an attack: where it is shown, what is shown of it, and what somebody decides. */

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const [before, after] = [hoursAgo(26), hoursAgo(2)]
const ids = Array.from({ length: 240 }, (_, n) => n)

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  till = await connectNewDevice(company, org, 'till-1')
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  const token = await tokenOfAda(company)
  const config = await callsTo(company.origin)(
    createBackupConfig,
    { query: { orgId: org.id }, body: storage as never },
    token,
  )
  const place = { orgId: org.id, deviceId: till.deviceId, configId: config.id }
  const folders = [dir('/home'), dir('/home/ada'), dir('/home/ada/docs')]
  const [older, newer] = (await seedSnapshots(company, place, [
    { at: before, entries: [...folders, ...ids.map((n) => file(`/home/ada/docs/offer ${n}.docx`, 4000, before))] },
    {
      at: after,
      entries: [...folders, ...ids.map((n) => file(`/home/ada/docs/offer ${n}.docx.locked`, 4272, after))],
    },
  ])) as [string, string]
  const counts = { filesBefore: 1240, changed: 0, added: 0, removed: 0, replaced: 240, renamed: 240 }
  find(place, newer, older, after, 'content', {
    ...counts,
    newEnding: { text: '.locked', files: 240 },
    looked: { files: 10, spoiled: 10 },
  })
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

/** As the appliance does after a backup. */
function find(
  place: { orgId: string; deviceId: string; configId: string },
  newer: string,
  older: string | null,
  at: string,
  sign: UnusualChange['sign'],
  numbers: UnusualChange['numbers'],
): void {
  const owner = { org_id: place.orgId, device_id: place.deviceId }
  company.db.run(
    q.insertInto('backup_unusual_changes').values({
      ...{ ...owner, id: randomUUIDv7(), config_id: place.configId, backup_mode: 'file' },
      ...{ snapshot_id: newer, older_id: older, taken_at: at, sign, numbers: toJson(numbers), state: 'open' },
      found_at: at,
    }),
  )
  company.db.run(
    q
      .insertInto('backup_attention')
      .values({ ...owner, id: randomUUIDv7(), kind: 'unusual_change', details: toJson({}), opened_at: at }),
  )
}

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const states = () => company.db.all(q.selectFrom('backup_unusual_changes').select('state')).map(({ state }) => state)

test('the overview and the first page name the device, and lead to what was found', async () => {
  await page.goto('/')
  await page.getByText('Unusual change in backups of').first().waitFor()
  await look(page, 'unusual-change-home')
  await page.goto('/backup/overview')
  await page.getByText('The last backup of till-1 has an unusual change').click()
  await page.waitForURL(`**/devices/${till.deviceId}?tab=backup`)
  await page.getByText('Unusual change: this may be ransomware').waitFor()
  await page.getByText('240 of 1,240 files').waitFor()
  await look(page, 'unusual-change-open')
})

test('the comparison shows what changed', async () => {
  await page.getByRole('link', { name: 'See what changed' }).click()
  await page.getByRole('heading', { name: 'Changes on till-1' }).waitFor()
  await page.getByText('480 changes').waitFor()
  await look(page, 'unusual-change-comparison')
  await page.goBack()
})

test('somebody keeps the older snapshots, and calls the change expected later, each with a reason', async () => {
  await button('Keep on hold…').click()
  await dialog('Keep the older snapshots?').waitFor()
  await button('Keep on hold').click()
  await page.getByText('Enter a reason').waitFor()
  await look(page, 'unusual-change-hold')
  expect(states()).toEqual(['open'])
  await page.getByLabel('Reason').fill('Ransomware, being cleaned up')
  await button('Keep on hold').click()
  await page.getByText('Older snapshots are on hold after an unusual change').waitFor()
  await page.getByText('Ransomware, being cleaned up').waitFor()
  expect(states()).toEqual(['held'])
  expect(await button('Keep on hold…').count()).toBe(0)
  await look(page, 'unusual-change-held')
  await page.goto('/backup/overview')
  await page.getByText('Needs attention').first().waitFor()
  await expect.poll(() => page.getByText('has an unusual change').count()).toBe(0)

  await page.goto(`/devices/${till.deviceId}?tab=backup`)
  await button('It was expected…').click()
  await dialog('Was this change expected?').waitFor()
  await look(page, 'unusual-change-expected')
  await page.getByLabel('Reason').fill('Encrypted the archive ourselves')
  await button('It was expected').click()
  await expect.poll(states).toEqual(['expected'])
  await page.getByText('on hold after an unusual change').waitFor({ state: 'detached' })
})

test('what the appliance could not look into may be harmless, and says so', async () => {
  const row = company.db.one(q.selectFrom('backup_unusual_changes').select('config_id'))
  const place = { orgId: org.id, deviceId: till.deviceId, configId: row.config_id }
  const newest = company.db.one(q.selectFrom('backup_snapshots').select('id').orderBy('timestamp', 'desc').limit(1))
  company.db.run(q.deleteFrom('backup_attention'))
  const counts = { filesBefore: 1240, changed: 900, added: 3, removed: 0, replaced: 0, renamed: 0 }
  find(place, newest.id, null, hoursAgo(1), 'kinds', { ...counts, newEnding: null, looked: null })
  await page.reload()
  await page.getByText('may be harmless').waitFor()
  expect(await page.getByRole('link', { name: 'See what changed' }).count(), 'the older one is gone').toBe(0)
  await look(page, 'unusual-change-without-content')
})
