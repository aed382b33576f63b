import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BackupPreview } from '../../shared/device/backup-preview.ts'
import { type ConnectedDevice, connectNewDevice } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** What a policy would protect, tried on a device before anything is saved. */

let company: Company
let page: Page
let till: ConnectedDevice

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  const [org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  till = await connectNewDevice(company, org, 'till-1')
  page = await company.signIn(ada.email, '/backup/protection')
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await till?.socket.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const gigabyte = 1024 ** 3
const names = ['docs', 'photos', 'mail', 'music', 'films', 'code', 'archive of former years', 'a', 'b', 'c', 'd', 'e']
const found: BackupPreview = {
  ...{ files: 18_204, bytes: 60 * gigabyte, folders: 2100, isWhole: true, missing: ['/srv/data'] },
  largest: [
    { path: '/home', files: 18_204, bytes: 60 * gigabyte },
    { path: '/home/ada', files: 12_000, bytes: 45 * gigabyte },
    ...names.map((name, n) => ({ path: `/home/ada/${name}`, files: 100, bytes: (12 - n) * 4 * 10 ** 8 })),
    { path: '/home/grace', files: 6204, bytes: 15 * gigabyte },
  ].toSorted((a, b) => b.bytes - a.bytes),
  leftOut: [
    { pattern: '.cache', count: 12, example: '/home/ada/.cache' },
    { pattern: '.Trash', count: 1, example: '/home/grace/.Trash' },
    { pattern: 'Thumbs.db', count: 0, example: null },
  ],
  unreadable: { count: 2, examples: [{ path: '/home/grace/.secret', error: 'access denied' }] },
}

const asked = (after: readonly unknown[] = []) =>
  till.socket.frame(({ type, id }) => type === 'backup_preview' && !after.includes(id))
const answer = (commandId: unknown, result: object, status = 'completed') =>
  till.socket.send({ type: 'command_result', commandId, status, result })

test('numbers, the largest folders and what is left out are shown before anything is protected', async () => {
  await button('Protect devices').first().click()
  const wizard = page.getByRole('dialog', { name: 'Protect devices' })
  await wizard.getByRole('button', { name: 'Try on a device' }).click()
  await wizard.getByRole('button', { name: 'Look' }).click()
  await wizard.getByText('Choose a device').waitFor()
  const device = wizard.getByRole('combobox', { name: 'Device' })
  await device.click()
  await expect
    .poll(() =>
      page
        .getByRole('option', { name: /\(offline\)/ })
        .first()
        .getAttribute('data-combobox-disabled'),
    )
    .toBe('true')
  await device.fill('till')
  await page.getByRole('option', { name: 'till-1' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await wizard.getByRole('button', { name: 'Look' }).click()
  const first = await asked()
  expect(first.payload).toEqual({ paths: ['{userFolders}'] })
  await wizard.getByText('The device looks, for 20 seconds at most.').waitFor()
  answer(first.id, found)
  await wizard.getByText('18,204 files, 60 GB, in 2,100 folders').waitFor()
  await wizard.getByText('Not on this device', { exact: true }).waitFor()
  const folders = await wizard.getByRole('listitem').filter({ hasText: ' GB' }).allInnerTexts()
  expect(folders.slice(0, 3).map((text) => text.split('\n')[0])).toEqual(['/home', 'ada', 'docs'])
  await wizard.getByText('12 times, like').waitFor()
  await wizard.getByText('2 files and folders can’t be read').waitFor()
  await look(page, 'backup-preview')
  await wizard.getByRole('button', { name: 'Show 3 more' }).click()
  await wizard.getByRole('listitem').filter({ hasText: /^e/ }).waitFor()

  // It was about something else.
  await wizard.getByRole('radio', { name: 'Custom' }).check()
  await wizard.getByText('That has changed. Look again.').waitFor()
  await wizard.getByRole('button', { name: 'Look' }).click()
  await wizard.getByText('Say above what to protect first.').waitFor()
  await wizard.getByRole('textbox', { name: 'Folders and files' }).fill('/srv/data')
  await wizard.getByRole('button', { name: 'Look' }).click()
  const second = await asked([first.id])
  expect(second.payload).toMatchObject({ paths: ['/srv/data'] })
  answer(second.id, { ...found, isWhole: false, missing: [], unreadable: { count: 0, examples: [] } })
  await wizard.getByText('At least 18,204 files').waitFor()
  await wizard.getByText('There is more: the device stopped looking').waitFor()

  // Stopped here, it stops there.
  await wizard.getByRole('button', { name: 'Look' }).click()
  const third = await asked([first.id, second.id])
  await wizard.getByRole('button', { name: 'Stop' }).click()
  await till.socket.frame(({ type, id }) => type === 'backup_stop' && id === `preview-stop-${third.id}`)
  await wizard.getByRole('button', { name: 'Look' }).click()
  const last = await asked([first.id, second.id, third.id])
  answer(last.id, {}, 'failed')
  await wizard.getByText('The device couldn’t look').waitFor()
})
