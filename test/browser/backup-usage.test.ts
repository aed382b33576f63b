import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { setBackupQuota } from '../../shared/api/backup-quotas.ts'
import { file } from '../helpers/listings.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { seedSnapshots } from './seeded-snapshots.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** How backups grow, when the disk is full, and what keeping less would free. */

let company: Company
let page: Page
let org: SeededOrganization
const devices: ConnectedDevice[] = []

const gigabyte = 1024 ** 3
const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  for (const { socket } of devices) await socket.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('before the first backup it says what appears here, and that there is too little history', async () => {
  await page.goto('/backup/usage')
  await page.getByText('No backups yet').waitFor()
  await page.getByText('Too little history for a forecast').waitFor()
  await look(page, 'backup-usage-none')
})

test('it shows growth, a forecast for the disk and the quota, and an estimate of what shorter retention frees', async () => {
  const [call, token] = [callsTo(company.origin), await tokenOfAda(company)]
  const storage = { name: 'This appliance', provider: 'local', isDefault: true, details: {} } as const
  const config = await call(createBackupConfig, { query: { orgId: org.id }, body: storage }, token)
  await call(setBackupQuota, { body: { orgId: org.id, quotaBytes: 100 * gigabyte } }, token)
  for (const [n, name] of ['till-1', 'till-2', 'office-server'].entries()) {
    const device = await connectNewDevice(company, org, name)
    devices.push(device)
    const place = { orgId: org.id, deviceId: device.deviceId, configId: config.id }
    await seedSnapshots(
      company,
      place,
      Array.from({ length: 20 }, (_, back) => ({
        at: daysAgo(20 - back),
        entries: [file('/data', (n + 1) * gigabyte + back * 1e7)],
      })),
    )
    const stored = (n + 1) * 5 * gigabyte
    company.db.run(
      q
        .updateTable('backup_repositories')
        .set({
          ...{ stored_bytes: stored, is_in_store: 1, data_bytes: stored, uncompressed_bytes: stored * 1.6 },
          ...{ files_bytes: stored * 9, measured_at: daysAgo(0) },
        })
        .where('device_id', '=', device.deviceId),
    )
    for (let back = 40; back > 0; back--)
      company.db.run(
        q.insertInto('backup_device_days').values({
          ...{ id: randomUUIDv7(), org_id: org.id, device_id: device.deviceId, day: daysAgo(back).slice(0, 10) },
          ...{ stored_bytes: stored - back * (n + 1) * 5e7, newest_bytes: (n + 1) * gigabyte - back * 1e6 },
        }),
      )
  }
  for (let back = 40; back > 0; back--) {
    const used = 800 * gigabyte - back * 4 * gigabyte
    const figures = { total_bytes: 900 * gigabyte, free_bytes: 900 * gigabyte - used, reserved_bytes: gigabyte }
    company.db.run(
      q
        .insertInto('backup_disk_days')
        .values({ day: daysAgo(back).slice(0, 10), ...figures })
        .onConflict((conflict) => conflict.column('day').doUpdateSet(figures)),
    )
    company.db.run(
      q.insertInto('backup_usage_days').values({
        ...{ id: randomUUIDv7(), org_id: org.id, site_id: org.sites[0]?.id ?? '', day: daysAgo(back).slice(0, 10) },
        ...{ stored_bytes: (30 - back / 4) * gigabyte, in_store_bytes: (30 - back / 4) * gigabyte },
      }),
    )
  }
  // The disk of this machine is another one.
  company.db.run(q.deleteFrom('backup_disk_days').where('day', '=', daysAgo(0).slice(0, 10)))
  await page.reload()
  const rows = page.getByRole('table', { name: 'Usage of each device' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(4)
  await rows.nth(1).getByText('office-server').waitFor()
  await rows.nth(1).getByText('15 GB').waitFor()
  await page.getByText(/^The quota is reached around/).waitFor()
  await page.getByText(/^The disk is full around/).waitFor()
  await look(page, 'backup-usage')
  await button('Device').click()
  await expect.poll(() => rows.nth(1).innerText()).toContain('office-server')
  await page.getByText('7 days', { exact: true }).click()
  await page.waitForURL('**growth=7**')
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('till-2')
  await expect.poll(() => rows.count()).toBe(2)
  await button('Estimate').click()
  await page.getByText('No policy backs up a device here.').waitFor()
  await look(page, 'backup-usage-estimate')
})

test('Home and the overview warn of a disk that is soon full', async () => {
  company.db.run(q.deleteFrom('backup_disk_days'))
  for (let back = 40; back > 0; back--)
    company.db.run(
      q.insertInto('backup_disk_days').values({
        day: daysAgo(back).slice(0, 10),
        ...{ total_bytes: 900 * gigabyte, free_bytes: (9 + back) * gigabyte, reserved_bytes: gigabyte },
      }),
    )
  await page.goto('/')
  await page.getByText('The appliance’s disk will be full').waitFor()
  await page.getByText('isn’t locked away').first().waitFor()
  await look(page, 'backup-usage-home')
})
