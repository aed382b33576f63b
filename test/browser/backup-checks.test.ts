import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { callsTo } from '../../server/admin/samples/client.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { listBackupSnapshots } from '../../shared/api/backup-snapshots.ts'
import { runJob } from '../../shared/api/system.ts'
import { quickRepositoryOf } from '../helpers/stored-snapshot.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Backups are checked from the page of a device and of a snapshot, and what is found is shown by file. */

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice
let snapshot: string
let repository: string

const megabyte = 1024 * 1024

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  org = (seedOrganizations(company.db, 1) as [SeededOrganization])[0]
  till = await connectNewDevice(company, org, 'till-1')
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

async function backedUp(): Promise<string> {
  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'notes.txt'), 'notes')
  const token = await tokenOfAda(company)
  const call: ReturnType<typeof callsTo> = (endpoint, input, as = token) => callsTo(company.origin)(endpoint, input, as)
  const query = { orgId: org.id }
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  await call(createBackupConfig, { query, body: storage as never })
  const { id } = await call(runBackup, { params: { deviceId: till.deviceId }, query: {} })
  const { payload } = await till.socket.frame((frame) => frame.id === id)
  repository = quickRepositoryOf(company, (payload as { engine: { repositoryId: string } }).engine.repositoryId)
  const engine = restic(repository, quickPassword)
  await engine.ok('backup', source)
  // In a pack of its own.
  writeFileSync(join(source, 'ledger.xlsx'), randomBytes(megabyte))
  await engine.ok('backup', source)
  const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
  const result = { status: 'completed', snapshotId: all.at(-1)?.id, filesBackedUp: 2, bytesBackedUp: megabyte + 5 }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await till.socket.settled()
  return (await call(listBackupSnapshots, { query })).data[0]?.id ?? ''
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const check = async (kind: RegExp) => {
  await button('Check now').click()
  await page.getByRole('menuitem', { name: kind }).click()
}

test('a device shows that nothing was checked yet; both kinds of check begin there, and say what came of them', async () => {
  snapshot = await backedUp()
  await page.goto(`/devices/${till.deviceId}?tab=backup`)
  await page.getByText('Not checked yet.', { exact: false }).waitFor()
  await button('Check now').click()
  await page.getByRole('menuitem', { name: /^Data check/ }).waitFor()
  await look(page, 'backup-check-now')
  await page.getByRole('menuitem', { name: /^Data check/ }).click()
  await noticeAppears(page, 'Data check requested')
  await page.getByText('All data of 2 files read without an error.').waitFor()

  await check(/^Test restore/)
  const { id, payload } = await till.socket.frame(({ type }) => type === 'backup_test_restore')
  expect(payload).toMatchObject({ checksums: [] })
  await page.getByText('Being restored to the device and compared.').waitFor()
  await check(/^Test restore/)
  await noticeAppears(page, 'Such a check has been under way since ')
  const counts = { filesVerified: 2, filesFailed: 0, sizeBytes: megabyte + 5, checksumsCompared: 2 }
  const result = { status: 'passed', ...counts, restoreTimeSeconds: 3, cleanedUp: true }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await page.getByText(/2 files \(1 MB\) restored in 3 s\. The content of each is/).waitFor()
  await look(page, 'backup-checks-passed')
})

test('how far the nightly reading of all data is, is said above the checks', async () => {
  await page.getByText(/^All data last read: (just now|[^.]+ ago), [^.]+\.$/).waitFor()
  await callsTo(company.origin)(runJob, { params: { name: 'backup.read-data' } }, await tokenOfAda(company))
  await page.reload()
  await page
    .getByText(
      /^All data last read: [^.]+\. Read at night, a part at a time: part 1 of 28, (just now|[^.]+ ago), [^.]+\.$/,
    )
    .waitFor()
})

test('damage is named by file, on the page of the snapshot and among what needs attention', async () => {
  const [pack = ''] = readdirSync(join(repository, 'data'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(repository, 'data', name))
    .filter((file) => statSync(file).isFile())
    .sort((a, b) => statSync(b).size - statSync(a).size)
  const content = readFileSync(pack)
  content[megabyte / 2] = (content[megabyte / 2] ?? 0) ^ 1
  rmSync(pack)
  writeFileSync(pack, content)

  await page.goto(`/backup/snapshots/${snapshot}`)
  await page.getByText('All data of 2 files read without an error.').waitFor()
  await check(/^Data check/)
  await page.getByText('Data in the storage is damaged or missing. 1 of 2 files affected.').waitFor()
  await look(page, 'backup-snapshot-checks')
  await button('Show what is affected').click()
  const dialog = page.getByRole('dialog', { name: '1 file affected' })
  await dialog.getByText(/\/work\/ledger\.xlsx$/).waitFor()
  await look(page, 'backup-check-affected')
  await page.keyboard.press('Escape')

  await page.goto('/backup/overview')
  await page.getByRole('link', { name: /A check of the backups of till-1 failed/ }).waitFor()
  await page.getByText('Restored for proof').waitFor()
  await page.getByText('A check failed', { exact: true }).waitFor()
  await look(page, 'backup-overview-checks')
})

test('why a check does not begin is said', async () => {
  await till.socket.close()
  company.db.statement(`UPDATE devices SET status = 'offline' WHERE id = ?`).run(till.deviceId)
  await page.goto(`/devices/${till.deviceId}?tab=backup`)
  await check(/^Test restore/)
  await noticeAppears(page, 'The device is offline.')
})
