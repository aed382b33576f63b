import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { runJob } from '../../shared/api/system.ts'
import { dir, file } from '../helpers/listings.ts'
import { s3StandIn } from '../helpers/s3-stand-in.ts'
import { connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { seedSnapshots } from './seeded-snapshots.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Snapshots that the storage itself keeps: where that is offered, and what is said of it. */

let company: Company
let page: Page
let org: SeededOrganization

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false', OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  ;[org] = seedOrganizations(company.db, 1) as [SeededOrganization]
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const menuItem = (name: string) => page.getByRole('menuitem', { name })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })

test('where the bucket locks objects, storage, snapshots and policies say so', async () => {
  const bucket = await s3StandIn()
  const till = await connectNewDevice(company, org, 'till-1')
  const token = await tokenOfAda(company)
  const call = callsTo(company.origin)
  const storage = { name: 'Bucket', provider: 's3' as const, isDefault: true, details: bucket.details }
  const config = await call(createBackupConfig, { query: { orgId: org.id }, body: storage as never }, token)
  const at = new Date().toISOString()
  const place = { orgId: org.id, deviceId: till.deviceId, configId: config.id }
  const [snapshot] = await seedSnapshots(company, place, [{ at, entries: [dir('/home'), file('/home/a.txt', 9, at)] }])
  await till.socket.close()

  await page.goto('/backup/storage')
  await button('Actions for Bucket').click()
  await menuItem('Test').click()
  await dialog('Test Bucket').getByText('The bucket has object lock, so it can lock snapshots itself.').waitFor()
  await look(page, 'backup-storage-object-lock')
  await button('Done').click()
  await page
    .getByRole('row', { name: /Bucket/ })
    .getByText('Object lock', { exact: true })
    .waitFor()

  await page.goto(`/backup/snapshots/${snapshot}`)
  await button('Protect').click()
  await menuItem('Lock for some days…').click()
  const lock = dialog('Lock this snapshot?')
  await lock.getByRole('checkbox', { name: 'Have the storage lock it, too' }).check()
  await lock.getByRole('textbox', { name: 'Reason' }).fill('Migration')
  await look(page, 'backup-snapshot-lock-by-storage')
  await lock.getByRole('button', { name: 'Lock' }).click()
  await noticeAppears(page, 'The snapshot is locked')
  await page.getByText(/The storage is asked to lock it, too, within a minute/).waitFor()
  await look(page, 'backup-snapshot-to-be-locked-by-storage')
  const repository = company.db.one(q.selectFrom('backup_repositories').selectAll())
  company.db.run(q.updateTable('backup_repositories').set({ state: 'ready' }).where('id', '=', repository.id))
  const { snapshot_id } = company.db.one(q.selectFrom('backup_snapshots').select('snapshot_id'))
  for (const name of ['config', `snapshots/${snapshot_id}`])
    bucket.objects.set(`${bucket.details.prefix}/${repository.sub_path}/${name}`, null)
  const run = () => call(runJob, { params: { name: 'backup.lock-objects' } }, token)
  bucket.state.manner = 'no lock'
  await run()
  await page.reload()
  await page.getByText('The storage doesn’t lock this snapshot', { exact: true }).waitFor()
  await page.getByText(/^The bucket has no object lock.*It is tried again\. Meanwhile/).waitFor()
  await look(page, 'backup-snapshot-not-locked-by-storage')
  bucket.state.manner = 'right'
  company.db.run(q.updateTable('backup_object_lock_tries').set({ try_again_at: at }))
  await run()
  await page.reload()
  await page.getByText(/^Locked by the storage until/).waitFor()
  expect(await page.getByText('The storage doesn’t lock this snapshot').count()).toBe(0)
  await look(page, 'backup-snapshot-locked-by-storage')

  const { id } = await call(createPolicy, { body: { name: 'Files', orgId: org.id } as never }, token)
  const inlineSettings = { backupMode: 'file', targets: { paths: ['/srv'] } }
  await call(addPolicyLink, { params: { id }, body: { featureType: 'backup', inlineSettings } as never }, token)
  await call(assignPolicy, { params: { id }, body: { level: 'organization', targetId: org.id } as never }, token)
  await page.goto('/backup/protection')
  await button('Actions for Files').click()
  await menuItem('Edit…').click()
  const edit = dialog(/^Edit Files/)
  await edit.getByRole('radio', { name: 'Locked by the storage' }).check()
  await edit.getByRole('textbox', { name: 'Days to lock each snapshot' }).fill('0')
  await edit.getByText('Enter at least 1').waitFor()
  await edit.getByRole('textbox', { name: 'Days to lock each snapshot' }).fill('45')
  await look(page, 'backup-policy-lock')
  await edit.getByRole('button', { name: 'Save' }).click()
  await noticeAppears(page, 'Files was saved')
  const link = company.db.one(q.selectFrom('config_policy_feature_links').select('inline_settings'))
  expect(JSON.parse(link.inline_settings ?? '{}').retention).toMatchObject({
    immutabilityMode: 'provider',
    immutableDays: 45,
  })
})
