import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { lastBackup } from '../../server/features/appliance-backup/last-backup.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { seedOrganizations } from './tenants.ts'

/** Home: the first device, a quiet day, and what happened between two visits. */

let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany()
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const heading = (name: string) => page.getByRole('heading', { name, exact: true })

test('without devices Home offers to add one, and leads to the first', async () => {
  await heading('Add your first device').waitFor()
  expect(await page.getByRole('heading', { name: /devices$/ }).count()).toBe(0)
  await look(page, 'home-empty')
  await page.getByRole('main').getByRole('button', { name: 'Add a device' }).click()
  await page.getByRole('dialog', { name: 'Add a device' }).waitFor()
  await page.keyboard.press('Escape')
  const [organization] = seedOrganizations(company.db, 1, { sites: 1 })
  const devices = company.db.all(q.selectFrom('devices').select('id').orderBy('id'))
  const [first, ...others] = devices.map(({ id }) => id)
  company.db.run(q.updateTable('devices').set({ status: 'decommissioned' }).where('id', 'in', others))
  company.db.run(
    q
      .updateTable('devices')
      .set({ status: 'online' })
      .where('id', '=', first ?? ''),
  )
  await page.goto('/')
  await heading('Your first device is online').waitFor()
  await look(page, 'home-first-device')
  await page.getByRole('link', { name: /^Homeport has never been backed up/ }).click()
  await page.waitForURL('**/system/appliance#backup')
  const backup = page.getByRole('region', { name: 'Backup', exact: true })
  await expect.poll(() => backup.evaluate((panel) => panel === document.activeElement)).toBe(true)
  await look(page, 'appliance-backup')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect.poll(async () => (await backup.boundingBox())?.y ?? 844).toBeLessThan(200)
  await look(page, 'appliance-backup-phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('link', { name: /^Homeport\s*, home page$/ }).click()
  await page.waitForURL((url) => url.pathname === '/')
  lastBackup(company.db).write({ at: new Date().toISOString(), by: 'command', bytes: 1 })
  await page.goto('/')
  await heading('All good').waitFor()
  await look(page, 'home-all-good')
  expect(await page.locator('link[rel~="icon"]').getAttribute('href')).toBe('/icon.svg')
  await page.getByRole('link', { name: 'Open device' }).click()
  await page.waitForURL(`**/devices/${first}`)
  expect(organization).toBeDefined()
})

test('folders of backups that nobody knows are said to the administrator of the appliance, with their names', async () => {
  const ids = ['11', '22', '33'].map((start) => `${start}f3c1de-0d5c-7a51-9c1e-7d0f3b6a2c44`)
  const found = ids.map((repository_id) => ({ repository_id, found_at: new Date().toISOString() }))
  company.db.run(q.insertInto('backup_store_leftovers').values(found))
  const [forgotten = '', ...unknown] = ids
  company.db.run(q.insertInto('backup_forgotten_repositories').values({ repository_id: forgotten }))
  await page.goto('/')
  await page.getByText('2 unknown backup folders on the appliance').waitFor()
  await look(page, 'home-unknown-backups')
  await page.getByRole('link', { name: /^2 unknown backup folders/ }).click()
  await page.waitForURL('**/system/appliance#backup')
  for (const id of unknown) await page.getByText(`backups/${id}`).waitFor()
  expect(await page.getByText(forgotten).count(), 'that one is going to be removed').toBe(0)
  await look(page, 'appliance-unknown-backups')
  company.db.run(q.deleteFrom('backup_store_leftovers'))
  company.db.run(q.deleteFrom('backup_forgotten_repositories'))
  await page.goto('/')
  await heading('All good').waitFor()
})

test('another visit shows what others did since the last one, and not what oneself did', async () => {
  const other = { name: 'Tess Technician', email: 'tess@northwind.test' }
  await company.hire(other)
  await page.goto('/')
  await heading('In the last 24 hours').waitFor()
  await page.evaluate((minutes) => {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith('homeport.visit.'))) {
      const lastActive = new Date(Date.now() - minutes * 60_000).toISOString()
      localStorage.setItem(key, JSON.stringify({ previousEnd: null, lastActive }))
    }
  }, 45)
  await leave(await company.signIn(other.email))
  await page.reload()
  await heading('Since your last visit').waitFor()
  await page
    .getByRole('link', { name: /Tess Technician/ })
    .first()
    .waitFor()
  expect(await page.getByRole('main').getByText(ada.name).count()).toBe(0)
  await page.getByText('You were last here 45 minutes ago').waitFor()
})
