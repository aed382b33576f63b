import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { listBackupSnapshots } from '../../shared/api/backup-snapshots.ts'
import { quickRepositoryOf } from '../helpers/stored-snapshot.ts'
import { filesInZip } from '../helpers/zip.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** A snapshot on the appliance: its files listed and downloaded without the device, kept from being deleted, and the room for all. */

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice
let source: string
let snapshot: string

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1) as [SeededOrganization]
  till = await connectNewDevice(company, org, 'till-1')
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

/** Without the list of its files. */
async function backedUp(): Promise<string> {
  source = join(scratchFolder(), 'work')
  mkdirSync(join(source, 'docs'), { recursive: true })
  writeFileSync(join(source, 'docs', 'Ärger [1].txt'), 'the report')
  mkdirSync(join(source, 'photos', 'old'), { recursive: true })
  writeFileSync(join(source, 'photos', 'old', 'one.txt'), 'a photo')
  symlinkSync('docs', join(source, 'shortcut'))
  const token = await tokenOfAda(company)
  const call: ReturnType<typeof callsTo> = (endpoint, input, as = token) => callsTo(company.origin)(endpoint, input, as)
  const query = { orgId: org.id }
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  await call(createBackupConfig, { query, body: storage as never })
  const { id } = await call(runBackup, { params: { deviceId: till.deviceId }, query: {} })
  const { payload } = await till.socket.frame((frame) => frame.id === id)
  const folder = quickRepositoryOf(company, (payload as { engine: { repositoryId: string } }).engine.repositoryId)
  const engine = restic(folder, quickPassword)
  await engine.ok('backup', source)
  const [made] = JSON.parse(await engine.ok('snapshots', '--json')) as [{ id: string }]
  const result = { status: 'completed', snapshotId: made.id, filesBackedUp: 1, bytesBackedUp: 10 }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await till.socket.settled()
  return (await call(listBackupSnapshots, { query })).data[0]?.id ?? ''
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const menuItem = (name: string) => page.getByRole('menuitem', { name })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })

test('the missing list of files is made on request, and a file and a folder are downloaded', async () => {
  snapshot = await backedUp()
  const at = encodeURIComponent(join(source, 'docs'))
  await page.goto(`/backup/snapshots/${snapshot}?path=${at}`)
  await page.getByText('The files can’t be shown').waitFor()
  await look(page, 'backup-files-unknown')
  await button('List the files').click()
  const row = page.getByRole('row').filter({ hasText: 'Ärger [1].txt' })
  await row.getByRole('checkbox').check()
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
  expect(file.suggestedFilename()).toBe('Ärger [1].txt')
  expect(readFileSync(await file.path(), 'utf8')).toBe('the report')

  await page.goto(`/backup/snapshots/${snapshot}?path=${encodeURIComponent(source)}`)
  await page.getByRole('row').filter({ hasText: 'docs' }).getByRole('checkbox').check()
  const [folder] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
  expect(folder.suggestedFilename()).toBe('docs.zip')
  expect(
    readFileSync(await folder.path())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
  expect(page.url()).toContain('/backup/snapshots/')
})

test('files and folders that are selected in several folders are downloaded together', async () => {
  await page.goto(`/backup/snapshots/${snapshot}?path=${encodeURIComponent(join(source, 'docs'))}`)
  const box = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('checkbox')
  await box('Ärger [1].txt').check()
  await page.getByRole('link', { name: 'work', exact: true }).click()
  await box('photos').check()
  await box('shortcut').check()
  await button('Download').hover()
  await page.getByText('Links and special files can’t be downloaded.').waitFor()
  await look(page, 'backup-snapshot-links-selected')
  await box('shortcut').uncheck()
  await page.getByText('1 file and 1 folder selected', { exact: true }).waitFor()
  const [archive] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
  expect(archive.suggestedFilename()).toMatch(/\.zip$/)
  const inside = source.slice(1)
  expect(await filesInZip(readFileSync(await archive.path()))).toEqual({
    [`${inside}/docs/Ärger [1].txt`]: 'the report',
    [`${inside}/photos/`]: '',
    [`${inside}/photos/old/`]: '',
    [`${inside}/photos/old/one.txt`]: 'a photo',
  })
})

test('a download that cannot begin says why, and the page stays', async () => {
  company.db.run(q.updateTable('backup_configs').set({ is_active: 0 }))
  await button('Download').click()
  await noticeAppears(page, 'The storage of this snapshot is turned off or gone.')
  company.db.run(q.updateTable('backup_configs').set({ is_active: 1 }))
  expect(page.url()).toContain('/backup/snapshots/')
})

test('a snapshot is put on legal hold and locked; the hold is released, and the lock stays', async () => {
  await page.goto(`/backup/snapshots/${snapshot}`)
  await button('Protect').click()
  await menuItem('Put on legal hold…').click()
  const hold = dialog('Put this snapshot on legal hold?')
  await hold.getByRole('button', { name: 'Put on hold' }).click()
  await hold.getByText('Enter a reason').waitFor()
  await hold.getByRole('textbox', { name: 'Reason' }).fill('Case 42')
  await look(page, 'backup-snapshot-hold')
  await page.keyboard.press('Tab')
  await hold.getByRole('button', { name: 'Put on hold' }).click()
  await page.getByText('Legal hold', { exact: true }).waitFor()

  await button('Protect').click()
  await menuItem('Lock for some days…').click()
  const lock = dialog('Lock this snapshot?')
  await lock.getByRole('textbox', { name: 'Days' }).fill('0')
  await lock.getByText('Enter at least 1').waitFor()
  await lock.getByRole('textbox', { name: 'Days' }).fill('90')
  await lock.getByRole('textbox', { name: 'Reason' }).fill('Migration')
  await look(page, 'backup-snapshot-lock')
  await lock.getByRole('button', { name: 'Lock' }).click()
  await noticeAppears(page, 'The snapshot is locked')

  await button('Protect').click()
  await look(page, 'backup-snapshot-protect-menu')
  expect(await page.getByRole('menuitem', { name: /lock/i }).allInnerTexts(), 'no lock is removed').toEqual([
    'Lock for some days…',
  ])
  await menuItem('Release legal hold…').click()
  const release = dialog('Release the legal hold?')
  await release.getByRole('textbox', { name: 'Reason' }).fill('Over')
  await release.getByRole('button', { name: 'Release' }).click()
  await release.waitFor({ state: 'detached' })
  await page.getByText('Legal hold', { exact: true }).waitFor({ state: 'detached' })
  const row = company.db.one(q.selectFrom('backup_snapshots').selectAll())
  expect([row.legal_hold, row.is_immutable]).toEqual([0, 1])
})

test('the page of the storage shows how full the appliance is, and sets the quota', async () => {
  await page.goto('/backup/storage')
  await page.getByText('0 B used, no quota').waitFor()
  await button('Change quota').click()
  const form = dialog('Change the quota')
  await form.getByRole('textbox', { name: 'Quota in GB' }).fill('-1')
  await form.getByText('Enter at least 0').waitFor()
  await form.getByRole('textbox', { name: 'Quota in GB' }).fill('0.5')
  await look(page, 'backup-quota')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('0 B of 512 MB used').waitFor()
  company.db.run(q.updateTable('backup_repositories').set({ is_in_store: 1, stored_bytes: 600 * 1024 ** 2 }))
  await page.reload()
  await page.getByText('The quota is used up: new backups fail.').waitFor()
  await look(page, 'backup-storage-full')
})
