import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { listBackupSnapshots } from '../../shared/api/backup-snapshots.ts'
import { listingPath } from '../../shared/device/backup.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Restores in the console: asked for, followed, canceled, and what came of them. */

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice
let other: ConnectedDevice
let token: string
let snapshotId: string

const engineId = 'ab'.repeat(32)
const time = '2026-03-01T08:00:00Z'
const gigabyte = 1024 ** 3
const listing = [
  { time, tree: 'x', paths: ['/home'], hostname: 'h', id: engineId, short_id: 'abababab', struct_type: 'snapshot' },
  { name: 'home', type: 'dir', path: '/home', mtime: time, struct_type: 'node' },
  { name: 'docs', type: 'dir', path: '/home/docs', mtime: time, struct_type: 'node' },
  { name: 'b.txt', type: 'file', path: '/home/docs/b.txt', size: 3 * gigabyte, mtime: time, struct_type: 'node' },
  { name: 'c.txt', type: 'file', path: '/home/docs/c.txt', size: gigabyte, mtime: time, struct_type: 'node' },
]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 2 }) as [SeededOrganization]
  till = await connectNewDevice(company, org, 'till-1')
  await reportDisk(till, 2)
  other = await connectNewDevice(company, org, 'till-2', { site: 1 })
  token = await tokenOfAda(company)
  snapshotId = await backedUp()
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await Promise.all([till?.socket.close(), other?.socket.close()])
  await company?.[Symbol.asyncDispose]()
})

/** As an agent tells the room on its disk. */
async function reportDisk({ agentId, authToken }: ConnectedDevice, freeGb: number): Promise<void> {
  const answer = await fetch(`${company.origin}/api/v1/agents/${agentId}/disks`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${authToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ disks: [{ mountPoint: '/', totalGb: 100, usedGb: 98, freeGb, usedPercent: 98 }] }),
  })
  expect(answer.status).toBe(200)
}

const call: ReturnType<typeof callsTo> = (endpoint, input, as = token) => callsTo(company.origin)(endpoint, input, as)

/** A snapshot of the first device, with its files. */
async function backedUp(): Promise<string> {
  const query = { orgId: org.id }
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  await call(createBackupConfig, { query, body: storage as never })
  const { id } = await call(runBackup, { params: { deviceId: till.deviceId }, query: {} })
  await till.socket.frame((frame) => frame.id === id)
  const lines = listing.map((node) => `${JSON.stringify(node)}\n`).join('')
  await fetch(`${company.origin}/api/v1${listingPath(till.agentId, id, engineId)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${till.authToken}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(gzipSync(lines)),
  })
  const result = { status: 'completed', snapshotId: engineId, filesBackedUp: 2, bytesBackedUp: 4 * gigabyte }
  till.socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await till.socket.settled()
  const [snapshot] = (await call(listBackupSnapshots, { query })).data
  return snapshot?.id ?? ''
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const restores = () => company.db.one(q.selectFrom('restore_jobs').select((s) => s.fn.countAll<number>().as('n'))).n
const progress = (on: ConnectedDevice, commandId: string, part: number) =>
  on.socket.send({
    type: 'backup_progress',
    commandId,
    progress: { phase: 'restoring', current: part * 4 * gigabyte, total: 4 * gigabyte, filesDone: 1, filesTotal: 2 },
  })
const ended = (on: ConnectedDevice, commandId: string, result: object, status = 'completed') =>
  on.socket.send({ type: 'command_result', commandId, status, result: { snapshotId: engineId, ...result } })
const orderOf = async (on: ConnectedDevice, id: string) => (await on.socket.frame((frame) => frame.id === id)).payload
const openId = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''

test('a restore that failed says what to do, and is asked for again somewhere else', async () => {
  await page.goto('/backup/restores')
  await page.getByText('Nothing was restored yet').waitFor()
  await look(page, 'backup-restores-none')
  const { id } = await call(createRestore, {
    query: {},
    body: { snapshotId, restoreType: 'selective', selectedPaths: ['/home/docs'] },
  })
  await orderOf(till, id)
  // The list hears of it without being asked.
  await page.getByRole('row').filter({ hasText: 'till-1' }).getByText('Running').waitFor()
  ended(till, id, { status: 'failed', filesRestored: 0, error: 'There is not enough free space there' }, 'failed')
  await page.getByRole('row').filter({ hasText: 'till-1' }).getByText('Failed').waitFor()
  await look(page, 'backup-restores')
  await page.getByRole('row').filter({ hasText: 'till-1' }).getByRole('link').click()
  await page.getByText('There is not enough room on the device.').waitFor()
  await look(page, 'backup-restore-failed')

  await button('Restore again').click()
  const form = dialog('Restore files')
  await form.getByText('2 files, 4 GB. 2 GB free on / of till-1.').waitFor()
  await form.getByText('There may not be enough room.').waitFor()
  await look(page, 'backup-restore-new-folder')
  expect(await form.getByText('If a file is there already').count()).toBe(0)

  // Only with the keyboard: another folder, which belongs to the system, and then one that does not.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await form.getByRole('radio', { name: 'Keep both' }).waitFor()
  await button('Restore').click()
  await form.getByText('Enter a folder').waitFor()
  const folder = form.getByRole('textbox', { name: 'Folder' })
  await folder.fill('srv/back')
  await form.getByText('Enter the whole path').waitFor()
  await folder.fill('/etc/back')
  await form.getByText('This folder belongs to the operating system.').waitFor()
  await form.getByRole('checkbox', { name: 'Restore there anyway' }).waitFor()
  await look(page, 'backup-restore-system-folder')
  await button('Restore').click()
  expect(restores()).toBe(1)
  await folder.fill('/srv/back')

  await form.getByRole('combobox', { name: 'On which device' }).click()
  await chooseOption(page.getByRole('option', { name: 'till-2' }))
  await form.getByRole('radio', { name: 'Replace it with the restored file' }).check()
  await form.getByText('That can’t be undone.').waitFor()
  await look(page, 'backup-restore-replace')

  // What was typed stays when the server refuses.
  await page.route('**/backup/restore', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 409, json: { error: 'offline', code: 'restore_device_offline' } })
      : route.fallback(),
  )
  await button('Restore').click()
  await form.getByText('The device is offline.').waitFor()
  expect(await folder.inputValue()).toBe('/srv/back')
  await page.unroute('**/backup/restore')
  await folder.press('Enter')
  await page.getByRole('heading', { name: 'Restore to till-2' }).waitFor()
  expect(await orderOf(other, openId())).toMatchObject({
    target: { to: 'folder', path: '/srv/back' },
    paths: ['/home/docs'],
    existing: 'replace',
  })
})

test('it is left and found again, and says where the files are and which are missing', async () => {
  const id = openId()
  progress(other, id, 0.25)
  await page.getByText(/^1 GB of 4 GB, 1 of 2 files/).waitFor()
  await look(page, 'backup-restore-running')
  await page.getByRole('link', { name: 'till-2' }).first().click()
  const onDevice = page.getByRole('region', { name: 'Restores' })
  await onDevice.getByText(/^Running, 25 %/).waitFor()
  await look(page, 'backup-restore-device')
  progress(other, id, 0.5)
  await onDevice.getByText(/^Running, 50 %/).waitFor()
  await onDevice.getByRole('link', { name: '/home/docs' }).click()
  await page.getByText(/^2 GB of 4 GB/).waitFor()
  ended(other, id, {
    status: 'partial',
    filesRestored: 1,
    bytesRestored: gigabyte,
    filesKept: 0,
    filesRenamed: 1,
    renamedFiles: [{ path: '/srv/back/c.txt', as: '/srv/back/c (restored 2026-11-24).txt' }],
    filesFailed: 1,
    failedFiles: [{ path: '/home/docs/b.txt', error: 'ciphertext verification failed' }],
  })
  await page.getByText('Some of the files weren’t restored.').waitFor()
  await page.getByRole('cell', { name: '/home/docs/b.txt' }).waitFor()
  await page.getByText('ciphertext verification failed').waitFor()
  await page.getByText('1 file restored, 1 GB.').waitFor()
  await button('Copy path').waitFor()
  await page.getByRole('cell', { name: '/srv/back/c (restored 2026-11-24).txt' }).waitFor()
  await look(page, 'backup-restore-partial')
})

test('a running restore is canceled after a question', async () => {
  const { id } = await call(createRestore, { query: {}, body: { snapshotId, existing: 'keep', inPlace: true } })
  await page.goto(`/backup/restores/${id}`)
  await button('Cancel restore').click()
  await dialog('Cancel the restore to till-1?').getByRole('button', { name: 'Cancel restore' }).click()
  await noticeAppears(page, 'The restore to till-1 was canceled')
  await page.getByText('Canceled', { exact: true }).waitFor()
  await till.socket.frame((frame) => frame.type === 'backup_stop' && frame.id === `restore-stop-${id}`)

  // The filters are in the address.
  await page.goto(`/backup/restores?status=cancelled&device=${till.deviceId}`)
  await page.getByRole('row').filter({ hasText: 'Everything' }).getByText('Canceled').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.goto(`/backup/restores?status=completed`)
  await page.getByText('No restores match').waitFor()
  await button('Clear filters').first().click()
  await page.getByRole('row').nth(3).waitFor()
})

test('to another site only with the permission, and not at all to a device that is offline', async () => {
  await company.hire({ name: 'Tess', email: 'tess@northwind.test', role: 'Partner Technician' })
  const failed = company.db.one(q.selectFrom('restore_jobs').select('id').where('status', '=', 'failed')).id
  const theirs = await company.signIn('tess@northwind.test', `/backup/restores/${failed}?again=open`)
  const form = theirs.getByRole('dialog', { name: 'Restore files' })
  await form.getByRole('combobox', { name: 'On which device' }).click()
  expect(
    await theirs
      .getByRole('option', { name: /offline/ })
      .first()
      .getAttribute('data-combobox-disabled'),
  ).toBe('true')
  await chooseOption(theirs.getByRole('option', { name: 'till-2' }))
  await form.getByText('till-2 is at another site').waitFor()
  const before = restores()
  await form.getByRole('button', { name: 'Restore', exact: true }).click()
  await form.getByText('till-2 is at another site').waitFor()
  expect(restores()).toBe(before)
})
