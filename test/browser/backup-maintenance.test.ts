import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** What the console says about the maintenance of storage. */

let company: Company
let page: Page
let org: SeededOrganization
let device: ConnectedDevice

const day = 86_400_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  device = await connectNewDevice(company, org, 'till-1')
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await device?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog', { name: 'Compare with storage' })

/** A backup whose snapshot is listed, made three days ago; its repository is there and does not have it. */
async function lostSnapshot() {
  const [call, token] = [callsTo(company.origin), await tokenOfAda(company)]
  const query = { orgId: org.id }
  const storage = { name: 'This appliance', provider: 'local', isDefault: true, details: {} } as const
  await call(createBackupConfig, { query, body: storage }, token)
  const job = await call(runBackup, { params: { deviceId: device.deviceId } }, token)
  await device.socket.frame(({ id }) => id === job.id)
  const result = { status: 'completed', snapshotId: 'ab'.repeat(32), filesBackedUp: 3, bytesBackedUp: 3_400_000 }
  device.socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
  await device.socket.settled()
  company.db.run(q.updateTable('backup_snapshots').set({ timestamp: ago(3 * day) }))
  const { id, key_id } = company.db.one(q.selectFrom('backup_repositories').select(['id', 'key_id']))
  makeQuickRepository(join(company.dataDir, 'backups', id))
  const context = `storage_encryption_keys:encrypted_private_key:${key_id}`
  const sealed = openSecrets(company.dataDir).encrypt(quickPassword, context)
  company.db.run(q.updateTable('storage_encryption_keys').set({ encrypted_private_key: sealed }))
  return id
}

test('the Storage page says what is stored and what maintenance could not do, and compares what is listed with it', async () => {
  const id = await lostSnapshot()
  const failed = {
    stored_bytes: 48_318_382_080,
    maintained_at: ago(7 * 3_600_000),
    maintenance_error: 'The repository is not there. Is the storage connected?',
  }
  company.db.run(q.updateTable('backup_repositories').set(failed).where('id', '=', id))
  await page.goto('/backup/storage')
  await page.getByRole('heading', { name: 'Maintenance' }).waitFor()
  await page.getByText('45 GB', { exact: true }).first().waitFor()
  await page.getByRole('row').filter({ hasText: 'Is the storage connected?' }).waitFor()
  await look(page, 'backup-maintenance')

  await button('Compare with storage').click()
  await look(page, 'backup-comparison-new')
  await dialog().getByRole('button', { name: 'Compare', exact: true }).click()
  await dialog().getByRole('row').filter({ hasText: 'Missing in storage' }).waitFor()
  const listed = () => company.db.all(q.selectFrom('backup_snapshots').select('id').where('expired_at', 'is', null))
  expect(listed(), 'nothing changes yet').toHaveLength(1)
  await look(page, 'backup-comparison')
  await dialog().getByRole('button', { name: 'Fix 1 difference' }).click()
  await dialog().getByText('0 snapshots listed again, 1 removed.').waitFor()
  expect(listed()).toHaveLength(0)
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
})

test('without restic on the appliance the page says that nothing is deleted, and where to add it', async () => {
  const bare = await startCompany({ ENABLE_2FA: 'false', RESTIC_PATH: '/nowhere/restic' })
  const [only] = seedOrganizations(bare.db, 1, { sites: 1 }) as [SeededOrganization]
  const body = { name: 'This appliance', provider: 'local', isDefault: true, details: {} } as const
  await callsTo(bare.origin)(createBackupConfig, { query: { orgId: only.id }, body }, await tokenOfAda(bare))
  const there = await bare.signIn(ada.email, '/backup/storage')
  await there.getByText('Maintenance engine not available on this host').waitFor()
  await look(there, 'backup-maintenance-bare')
  await there.getByRole('link', { name: 'Add restic' }).click()
  await there.getByRole('tab', { name: 'Backup engine', selected: true }).waitFor()
  await bare[Symbol.asyncDispose]()
})
