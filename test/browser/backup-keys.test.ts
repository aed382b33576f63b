import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The keys of backups: the recovery sheet, a rotation and how far it is, a key that is deactivated. */

let company: Company
let page: Page
let org: SeededOrganization
let device: ConnectedDevice

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await device?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const keys = () => company.db.all(q.selectFrom('storage_encryption_keys').selectAll().orderBy('id'))

test('the recovery sheet is asked for until somebody has locked it away, and again after a rotation', async () => {
  await page.goto('/backup/keys')
  await page.getByText('No keys yet').waitFor()
  await look(page, 'backup-keys-none')

  device = await connectNewDevice(company, org, 'till-1')
  const [call, token] = [callsTo(company.origin), await tokenOfAda(company)]
  const storage = { name: 'This appliance', provider: 'local', isDefault: true, details: {} } as const
  await call(createBackupConfig, { query: { orgId: org.id }, body: storage }, token)
  await call(runBackup, { params: { deviceId: device.deviceId } }, token)
  await page.goto('/backup/overview')
  await page.getByRole('link', { name: 'Print the recovery sheet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recovery sheet' })
  await dialog.getByRole('button', { name: 'Show the sheet' }).click()
  await dialog.getByText('till-1').waitFor()
  await look(page, 'backup-recovery-sheet')
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByText('Recovery sheet of').last().isVisible()).toBe(true)
  expect(await page.getByRole('heading', { name: 'Keys' }).isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  expect(keys()).toMatchObject([{ locked_away_at: null }])
  await dialog.getByLabel('I have locked it away').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByText('isn’t locked away yet').count()).toBe(0)
  expect(keys()).toMatchObject([{ locked_away_at: expect.any(String) }])

  await button('Actions for Backup key').click()
  await page.getByRole('menuitem', { name: 'Rotate…' }).click()
  await look(page, 'backup-key-rotate')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Backup key (rotated)' }).waitFor()
  await page.getByText('isn’t locked away yet').waitFor()
  await page.getByText('0 of 1 repositories are done').waitFor()
  await page.getByRole('row').filter({ hasText: 'till-1' }).getByText('Has the old key').waitFor()
  await look(page, 'backup-keys')
})

test('a new key is made, and deactivated again', async () => {
  await page.goto('/backup/keys')
  await button('New key').click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await look(page, 'backup-key-new')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByLabel('Name').fill('Spare')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('row').filter({ hasText: 'Spare' }).getByText('Active').waitFor()
  await button('Actions for Spare').click()
  await page.getByRole('menuitem', { name: 'Deactivate…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Spare' }).getByText('No longer used').waitFor()
})
