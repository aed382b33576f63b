import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { createRole } from '../../shared/api/roles.ts'
import { dir, file } from '../helpers/listings.ts'
import { atLength } from '../helpers/thorough.ts'
import { type ConnectedDevice, connectNewDevice, tokenOfAda } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { seedSnapshots } from './seeded-snapshots.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** The way to a lost file in the console: by its name, or by a snapshot from before it was lost. */

let company: Company
let page: Page
let org: SeededOrganization
let till: ConnectedDevice
let monday: string
let tuesday: string
let unlisted: string

const [mondayAt, tuesdayAt] = ['2026-03-02T02:30:00.000Z', '2026-03-03T02:30:00.000Z']
const photos = 2500
const home = [
  dir('/home'),
  dir('/home/ada'),
  dir('/home/ada/photos'),
  ...Array.from({ length: photos }, (_, n) => file(`/home/ada/photos/img-${String(n + 1).padStart(4, '0')}.jpg`, 1000)),
  dir('/home/ada/empty'),
  dir('/home/ada/docs'),
  dir('/home/ada/docs/old'),
  file('/home/ada/docs/old/attic.txt', 5),
  file('/home/ada/docs/plan [1] 50%.txt', 12),
]

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  till = await connectNewDevice(company, org, 'till-1')
  const storage = { name: 'Appliance', provider: 'local' as const, isDefault: true, details: {} }
  const token = await tokenOfAda(company)
  const call = callsTo(company.origin)
  const config = await call(createBackupConfig, { query: { orgId: org.id }, body: storage as never }, token)
  const device = { orgId: org.id, deviceId: till.deviceId, configId: config.id }
  ;[monday, tuesday, unlisted] = (await seedSnapshots(company, device, [
    {
      at: mondayAt,
      entries: [...home, file('/home/ada/docs/ledger.ods', 4000, mondayAt), file('/home/ada/docs/offer.odt', 700)],
    },
    {
      at: tuesdayAt,
      entries: [...home, file('/home/ada/docs/ledger.ods', 4500, tuesdayAt), file('/home/ada/docs/new.txt', 30)],
    },
    { at: '2026-03-04T02:30:00.000Z', entries: null },
  ])) as [string, string, string]
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const row = (name: string | RegExp) => page.getByRole('row', { name })
const grid = () => page.getByRole('grid')
/** The name in the row at which the keys are. */
const activeRow = () =>
  page.evaluate(() => {
    const { activeElement } = document
    const id = activeElement?.getAttribute('aria-activedescendant')
    return (id && document.getElementById(id)?.querySelector('a')?.textContent) || activeElement?.tagName
  })
const isOn = (name: string) => expect.poll(activeRow).toBe(name)
const folder = (id: string, path: string) => page.goto(`/backup/snapshots/${id}?path=${encodeURIComponent(path)}`)

test('a file is found by its name, also one that is gone, and one of its versions is taken', async () => {
  await page.goto(`/devices/${till.deviceId}?tab=backup`)
  await page.getByRole('main').getByRole('link', { name: 'Restore files' }).click()
  await page.getByRole('heading', { name: 'Find a file' }).waitFor()
  await look(page, 'backup-files-of-device')
  const search = page.getByRole('searchbox', { name: 'Name of the file or folder' })
  await search.fill('nothing like it')
  await page.getByText('Nothing with “nothing like it” in its name was backed up.').waitFor()
  await search.fill('offer')
  await row(/^File offer\.odt/)
    .getByText('700 B, 1 version')
    .waitFor()
  await search.fill('LEDGER')
  await row(/^File ledger\.ods/)
    .getByText('4.4 KB, 2 versions')
    .waitFor()
  await look(page, 'backup-files-found')
  // The newest there is of it, at once.
  const newest = page.waitForRequest('**/backup/restore/preview')
  await button('Restore ledger.ods').click()
  await dialog('Restore files')
    .getByText(/as it was on Mar 3, 2026/)
    .waitFor()
  expect((await newest).postDataJSON()).toMatchObject({
    snapshotId: tuesday,
    selectedPaths: ['/home/ada/docs/ledger.ods'],
  })
  await button('Cancel').click()
  await row(/^File ledger\.ods/)
    .getByRole('link')
    .press('Enter')
  const versions = dialog('ledger.ods')
  await expect.poll(() => versions.getByRole('row').count()).toBe(3)
  const rows = versions.getByRole('row')
  await rows.nth(1).getByText('4.4 KB').waitFor()
  await rows.nth(2).getByText('3.9 KB').waitFor()
  await look(page, 'backup-file-versions')
  // The address says what is open.
  await page.reload()
  const previewed = page.waitForRequest('**/backup/restore/preview')
  await rows.nth(2).getByRole('button', { name: 'Restore…' }).click()
  const restore = dialog('Restore files')
  await restore.getByText(/as it was on Mar 2, 2026/).waitFor()
  expect((await previewed).postDataJSON()).toMatchObject({
    snapshotId: monday,
    restoreType: 'selective',
    selectedPaths: ['/home/ada/docs/ledger.ods'],
  })
  await look(page, 'backup-restore-version')
  await page.keyboard.press('Escape')
  await versions.waitFor()
  await rows.nth(1).getByRole('link', { name: 'Show in its folder' }).click()
  await page.getByRole('navigation', { name: 'Folder' }).getByText('docs').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/backup/snapshots/${tuesday}`)
  await expect.poll(() => page.locator('tr[data-active]').innerText()).toContain('ledger.ods')
})

test('a snapshot is browsed and files of several folders are chosen without a mouse', async () => {
  await page.goto(`/backup/files?device=${till.deviceId}`)
  await page.getByRole('row', { name: /Mar 3, 2026/ }).click()
  // Below the folders that hold nothing but one folder.
  await row(/docs/).waitFor()
  await page.keyboard.press('ArrowDown')
  await isOn('docs')
  await page.keyboard.press('Enter')
  await isOn('old')
  await page.keyboard.press('Space')
  await page.getByText('1 folder selected', { exact: true }).waitFor()
  await button('Download').waitFor()
  // What is in a chosen folder is chosen with it, and cannot be taken out of it.
  await page.keyboard.press('Enter')
  await isOn('attic.txt')
  const attic = page.getByRole('checkbox', { name: 'Select attic.txt' })
  expect([await attic.isChecked(), await attic.isDisabled()]).toEqual([true, true])
  await page.keyboard.press('Space')
  // Up again, at the folder that was left.
  await page.keyboard.press('Backspace')
  await isOn('old')
  await page.keyboard.press('ArrowDown')
  await isOn('ledger.ods')
  await page.keyboard.press('Space')
  await page.keyboard.press('Backspace')
  await isOn('docs')
  await page.keyboard.press('Backspace')
  await isOn('ada')
  await page.keyboard.press('Backspace')
  await isOn('home')
  await page.getByText('1 file and 1 folder selected', { exact: true }).waitFor()
  expect(await button('Download').getAttribute('aria-disabled')).toBe('false')
  await look(page, 'backup-files-chosen')
  await button('Show what is selected').click()
  await dialog('Show what is selected').getByText('/home/ada/docs/old').waitFor()
  await look(page, 'backup-files-chosen-list')
  await page.keyboard.press('Escape')
  const previewed = page.waitForRequest('**/backup/restore/preview')
  await button('Restore…').click()
  await dialog('Restore files').waitFor()
  expect((await previewed).postDataJSON().selectedPaths).toEqual(['/home/ada/docs/old', '/home/ada/docs/ledger.ods'])
  await button('Cancel').click()
  await page.keyboard.press('Escape')
  await page.getByText('selected', { exact: false }).first().waitFor({ state: 'detached' })
})

test('all of a folder is the folder, whichever of its files were chosen before', async () => {
  await folder(tuesday, '/home/ada/docs')
  await page.getByRole('checkbox', { name: 'Select new.txt' }).check()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByText('1 folder selected', { exact: true }).waitFor()
  expect(await page.getByRole('checkbox', { name: 'Select ledger.ods' }).isChecked()).toBe(true)
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'All files' }).click()
  // Until then the box is that of the former folder, which is checked.
  await page.getByRole('checkbox', { name: 'Select home' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByText('Everything selected', { exact: true }).waitFor()
  const previewed = page.waitForRequest('**/backup/restore/preview')
  await button('Restore…').click()
  expect((await previewed).postDataJSON()).toMatchObject({ restoreType: 'full' })
  await button('Cancel').click()
})

test('a folder with thousands of files is read page by page, and only what is in view is on the page', async () => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/folder?')) asked.push(new URL(request.url()).searchParams.get('limit') ?? '')
  })
  await folder(tuesday, '/home/ada/photos')
  await page.getByText('2,500 files, 2.4 MB').waitFor()
  await row(/img-0001/).waitFor()
  expect(asked).toEqual(['200'])
  expect(await grid().getAttribute('aria-rowcount')).toBe('2501')
  await look(page, 'backup-folder-large')
  await grid().focus()
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return activeRow()
    })
    .toBe('img-2500.jpg')
  expect(asked).toEqual(['200', '1000', '1000', '1000'])
  expect(await page.getByRole('row').count()).toBeLessThan(80)
  expect(await page.locator('tr[data-active]').isVisible()).toBe(true)
  await page.keyboard.press('Space')
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Shift+Space')
  await page.getByText('5 files selected', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('5 files selected', { exact: true }).waitFor({ state: 'detached' })

  // Narrowed to a part of the name; the box above chooses what is found, and nothing else.
  await page.keyboard.press('/')
  await page.keyboard.type('IMG-249')
  await page.getByText('10 files, 9.8 KB found').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByText('10 files selected', { exact: true }).waitFor()
  await page.getByRole('searchbox').fill('not there')
  await page.getByText('No files match').waitFor()
  await look(page, 'backup-folder-no-match')
  await page.getByRole('link', { name: 'Search all snapshots' }).click()
  await page.waitForURL('**/backup/files?*q=not*')
})

test('two snapshots are compared, and each change leads to where it is', async () => {
  await folder(tuesday, '/')
  await button('Compare…').click()
  const ask = dialog('Compare with')
  await ask.getByRole('radio', { name: /^Mar 2, 2026/ }).waitFor()
  await look(page, 'backup-compare')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Changes on till-1' }).waitFor()
  await page.getByText('3 changes').waitFor()
  const changes = page.getByRole('table', { name: 'Changes' }).getByRole('row')
  await expect.poll(() => changes.count()).toBe(4)
  await row(/ledger\.ods/)
    .getByText('+500 B')
    .waitFor()
  await look(page, 'backup-comparison')
  await page.getByText('Removed 1', { exact: true }).click()
  await page.waitForURL('**/compare/**only=removed')
  await expect.poll(() => changes.count()).toBe(2)
  // It is only in the older one.
  await page.getByRole('link', { name: 'offer.odt' }).click()
  await page.waitForURL(`**/backup/snapshots/${monday}?*`)
  await expect.poll(() => page.locator('tr[data-active]').innerText()).toContain('offer.odt')
  // The same folder in another snapshot.
  await page.getByRole('combobox', { name: 'Snapshot' }).click()
  await chooseOption(page.getByRole('option', { name: /^Mar 3, 2026/ }))
  await row(/new\.txt/).waitFor()
  expect(await row(/offer\.odt/).count()).toBe(0)
})

atLength('what cannot be shown says why, and what can be done', async () => {
  const other = org.sites[0]?.deviceIds[0] ?? ''
  await page.goto(`/backup/files?device=${other}&q=ledger`)
  await page.getByText('No snapshots of this device').waitFor()
  await look(page, 'backup-files-none')
  await page.goto(`/backup/snapshots/${unlisted}`)
  await page.getByText('The files can’t be shown').waitFor()
  await look(page, 'backup-files-unknown')
  await button('Restore everything…').last().click()
  await dialog('Restore everything').waitFor()
  await button('Cancel').click()

  await folder(tuesday, '/home/ada/empty')
  await page.getByText('This folder is empty').waitFor()
  await folder(tuesday, '/home/bob')
  await page.getByText('This folder isn’t in this snapshot').waitFor()
  await look(page, 'backup-folder-not-there')
  await page.getByRole('link', { name: 'Show all files' }).click()
  await row(/home/).waitFor()

  await page.route('**/folder?*', (route) =>
    route.fulfill({ status: 500, json: { error: 'Internal error', code: 'internal_error' } }),
  )
  await folder(tuesday, '/home/ada')
  await page.getByText('This didn’t load').waitFor()
  await look(page, 'backup-folder-failed')
  await page.unroute('**/folder?*')
  await button('Try again').click()
  await row(/docs/).waitFor()

  await page.goto('/backup/snapshots/00000000-0000-7000-8000-000000000000')
  await page.getByText('Page not found').waitFor()
})

test('snapshots of the organization are listed, and a hold is said', async () => {
  const held = { legal_hold: 1 as const, legal_hold_reason: 'Lawsuit', legal_hold_source: 'manual' as const }
  company.db.run(q.updateTable('backup_snapshots').set(held).where('id', '=', monday))
  await page.goto('/backup/files')
  await row(/Mar 2, 2026/)
    .getByText('Legal hold')
    .waitFor()
  await row(/Mar 3, 2026/)
    .getByText('Never')
    .waitFor()
  await look(page, 'backup-snapshots')
  await page.getByText('Choose the device above to find a file').waitFor()
  // A device that is gone can still be chosen.
  company.db.run(q.updateTable('devices').set({ status: 'decommissioned' }).where('id', '=', till.deviceId))
  await page.getByRole('combobox', { name: 'Device' }).click()
  await page.keyboard.type('till')
  await chooseOption(page.getByRole('option', { name: 'till-1 (decommissioned)' }))
  await page.waitForURL(`**/backup/files?*device=${till.deviceId}*`)
  await page.getByRole('heading', { name: 'Find a file' }).waitFor()
  await row(/Mar 2, 2026/)
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('heading', { name: 'Snapshot of till-1' }).waitFor()
  await page.getByText('Legal hold').waitFor()
  // Where an organization has one device, there is nothing to choose.
  company.db.run(q.deleteFrom('devices').where('id', '!=', till.deviceId))
  await page.goto('/backup/files')
  await page.getByRole('searchbox', { name: 'Name of the file or folder' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Device' }).inputValue()).toBe('till-1 (decommissioned)')
})

test('who may only read finds and browses, and is offered nothing else', async () => {
  const permissions = ['organizations', 'devices', 'backup'].map((resource) => ({ resource, action: 'read' }))
  const role = await callsTo(company.origin)(
    createRole,
    { query: {}, body: { name: 'Auditor', permissions } },
    await tokenOfAda(company),
  )
  const id = await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test' })
  company.db.run(q.updateTable('partner_users').set({ role_id: role.id }).where('user_id', '=', id))
  const viewer = await company.signIn('vera@northwind.test', `/backup/snapshots/${tuesday}?path=/home/ada/docs`)
  await viewer.getByRole('link', { name: 'ledger.ods' }).click()
  await viewer.getByRole('dialog', { name: 'ledger.ods' }).getByText('4.4 KB').waitFor()
  for (const name of ['Restore…', 'Restore everything…', 'Download']) expect(await button(name, viewer).count()).toBe(0)
  await leave(viewer)
})
