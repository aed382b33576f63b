import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { runJob } from '../../shared/api/system.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Second copies: one is added, waits for its disk, is late, fails, and has something in it. */

let company: Company
let page: Page
let org: SeededOrganization
let device: ConnectedDevice
const folder = mkdtempSync(join(tmpdir(), 'homeport-copies-'))
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
  rmSync(folder, { recursive: true, force: true })
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const row = (name: string) => page.getByRole('row').filter({ hasText: name })

async function backUp() {
  const [call, token] = [callsTo(company.origin), await tokenOfAda(company)]
  const storage = { name: 'This appliance', provider: 'local', isDefault: true, details: {} } as const
  await call(createBackupConfig, { query: { orgId: org.id }, body: storage }, token)
  const job = await call(runBackup, { params: { deviceId: device.deviceId } }, token)
  await device.socket.frame(({ id }) => id === job.id)
  const result = { status: 'completed', snapshotId: 'ab'.repeat(32), filesBackedUp: 3, bytesBackedUp: 3_400_000 }
  device.socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
  await device.socket.settled()
}

test('a second copy on a disk at the appliance is added, and waits for its disk', async () => {
  await page.goto('/backup/second-copies')
  await page.getByText('No second copies yet').waitFor()
  await look(page, 'second-copies-none')
  await button('Add second copy').first().click()
  const dialog = page.getByRole('dialog', { name: 'Add second copy' })
  await dialog.getByText('Copies the backups of all devices').waitFor()
  await look(page, 'second-copy-new')
  await button('Add second copy').last().click()
  await dialog.getByText('Enter the whole path').waitFor()
  await dialog.getByLabel('Path').fill(join(folder, 'blue'))
  await dialog.getByLabel('Name').fill('Blue disk')
  await dialog.getByRole('button', { name: 'Add second copy' }).click()
  await row('Blue disk').getByText('Nothing copied yet').waitFor()
  await backUp()
  await button('Actions for Blue disk').click()
  await page.getByRole('menuitem', { name: 'Copy now' }).click()
  await row('Blue disk').getByText('Waiting for the disk').waitFor()
  mkdirSync(join(folder, 'blue'))
  expect(company.db.all(q.selectFrom('backup_vaults').selectAll())).toMatchObject([
    { name: 'Blue disk', place: 'appliance', device_id: null, waiting_for: 'medium', vault_type: 'usb' },
  ])
})

test('what is late, failed or runs is said, and what is in it', async () => {
  const change = (values: object) => company.db.run(q.updateTable('backup_vaults').set(values))
  const [vault] = company.db.all(q.selectFrom('backup_vaults').selectAll())
  const copy = {
    state: 'ready',
    stored_bytes: 48_318_382_080,
    last_sync_at: ago(9 * day),
    checked_at: ago(10 * day),
  } as const
  company.db.run(q.updateTable('backup_vault_repositories').set({ ...copy, late_since: ago(day) }))
  await page.reload()
  await row('Blue disk').getByText('Late').waitFor()
  await row('Blue disk').getByText('Read back 10 days ago').waitFor()
  await look(page, 'second-copies')
  change({ last_sync_status: 'failed', last_sync_error: 'The storage is full', waiting_for: null, requested_at: null })
  await page.reload()
  await row('Blue disk').getByText('The storage is full').waitFor()
  await button('Actions for Blue disk').click()
  await page.getByRole('menuitem', { name: 'What is in it' }).click()
  const dialog = page.getByRole('dialog', { name: 'What is in Blue disk' })
  await dialog.getByText('till-1').waitFor()
  await dialog.getByText('Read back 10 days ago').waitFor()
  await look(page, 'second-copy-content')
  const damage = (damage: string | null) => company.db.run(q.updateTable('backup_vault_repositories').set({ damage }))
  damage('Pack 3f2a9c11 contains 1 error: blob 0 has the wrong content')
  await page.reload()
  await row('Blue disk').getByText('Damaged', { exact: true }).waitFor()
  await row('Blue disk').getByText('choose “Copy now” to have all of it read again').waitFor()
  await button('Actions for Blue disk').click()
  await page.getByRole('menuitem', { name: 'What is in it' }).click()
  await dialog.getByText('Pack 3f2a9c11 contains 1 error').waitFor()
  await look(page, 'second-copy-damaged')
  damage(null)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.goto(`/devices/${device.deviceId}?tab=backup`)
  await page.getByRole('heading', { name: 'Second copies' }).waitFor()
  await row('Blue disk').waitFor()
  await look(page, 'second-copies-of-device')
  expect(vault?.name).toBe('Blue disk')
})

test('one is changed, turned off and on again', async () => {
  await page.goto('/backup/second-copies')
  await button('Actions for Blue disk').click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Blue disk' })
  await dialog.getByLabel('Name').fill('Friday disk')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row('Friday disk').waitFor()
  await button('Actions for Friday disk').click()
  await page.getByRole('menuitem', { name: 'Turn off…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).click()
  await row('Friday disk').getByText('Off', { exact: true }).waitFor()
  await button('Actions for Friday disk').click()
  await page.getByRole('menuitem', { name: 'Turn on' }).click()
  await expect.poll(() => company.db.one(q.selectFrom('backup_vaults').select('is_active')).is_active).toBe(1)
})

test('a disk of a device is added on its page, followed, and named where files are restored or found to be damaged', async () => {
  await page.goto(`/devices/${device.deviceId}?tab=backup`)
  const panel = page.getByRole('region', { name: 'Second copies' })
  await panel.getByRole('button', { name: 'Add' }).click()
  const form = page.getByRole('dialog', { name: 'Add second copy' })
  await form.getByRole('radio', { name: 'Disk at the device' }).check()
  await form.getByLabel('Path').fill('/media/red')
  await form.getByLabel('Name').fill('Red disk')
  await form.getByRole('button', { name: 'Add second copy' }).click()
  await panel.getByRole('row').filter({ hasText: 'Red disk' }).waitFor()
  const [call, token] = [callsTo(company.origin), await tokenOfAda(company)]
  for (const name of ['backup.watch-copies', 'backup.sync-copies']) await call(runJob, { params: { name } }, token)
  const { id: commandId, payload } = await device.socket.frame(({ type }) => type === 'vault_sync')
  const progress = { phase: 'copying', done: 0, total: 1, percent: 40 }
  device.socket.send({ type: 'backup_progress', commandId, progress })
  await panel.getByText('Copying 1 of 1, 40 %').waitFor()
  await look(page, 'second-copy-running')
  const { vaultId } = payload as { vaultId: string }
  const snapshotId = 'ab'.repeat(32)
  const outcome = {
    resticId: 'ef'.repeat(32),
    snapshots: [{ id: '12'.repeat(32), original: snapshotId, takenAt: '2026-01-01T00:00:00.000Z' }],
    manifests: [{ snapshotId, isSame: true, files: 3, bytes: 3_400_000 }],
    storedBytes: 3_100_000,
    wasRead: true,
    damage: null,
  }
  const said = { vaultId, vaultPath: '/media/red', snapshotId, fileCount: 3, totalBytes: 3_100_000 }
  const result = { ...said, manifestVerified: true, auto: false, absent: null, outcome }
  device.socket.send({ type: 'command_result', commandId, status: 'completed', result })
  await panel.getByText('Up to date').waitFor()

  const snapshot = company.db.one(q.selectFrom('backup_snapshots').select(['id', 'org_id', 'timestamp']))
  await page.goto(`/backup/snapshots/${snapshot.id}`)
  await button(/^Restore/)
    .first()
    .click()
  const restore = page.getByRole('dialog')
  await restore.getByRole('combobox', { name: 'From' }).click()
  await chooseOption(page.getByRole('option', { name: 'Second copy: Red disk' }))
  await restore.getByText('First connect the disk to the device that gets the files, at the same path').waitFor()
  await look(page, 'second-copy-restore')

  const found = {
    ...{ id: randomUUID(), org_id: snapshot.org_id, device_id: device.deviceId, repository_id: null },
    ...{ backup_job_id: null, snapshot_id: snapshot.id, snapshot_taken_at: snapshot.timestamp },
    ...{ verification_type: 'integrity', status: 'failed', source: 'scheduled', ran_on: 'device' },
    ...{ started_at: ago(1000), completed_at: ago(0), created_at: ago(0), updated_at: ago(0), files_failed: 1 },
    details: JSON.stringify({ failedFiles: [{ path: '/home/a.txt', error: 'The data is damaged' }] }),
  } as never
  company.db.run(q.insertInto('backup_verifications').values(found))
  await page.goto(`/devices/${device.deviceId}?tab=backup`)
  await button('Show what is affected').first().click()
  await page.getByText('“Red disk” has this backup as well. Choose it when you restore files.').waitFor()
  await look(page, 'second-copy-of-damaged-backup')
})
