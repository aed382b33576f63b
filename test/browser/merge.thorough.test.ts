import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, startCompany } from './company.ts'
import { look } from './look.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Merging two organizations of a company. */

let company: Company
let page: Page
let organizations: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany({ ORG_MERGE_FENCE_DRAIN_MS: '500', ORG_MERGE_MAX_ROWS: '60' })
  organizations = seedOrganizations(company.db, 30)
  contactsOf('Harbour Logistics 1', 3)
  contactsOf('Lantern Logistics 2', 1)
  contactsOf('Alder Logistics 3', 70)
  company.db.run(
    q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', idOf('Copper Logistics 4')),
  )
  company.db.run(q.updateTable('organizations').set({ max_devices: 10 }).where('id', '=', idOf('Lantern Logistics 2')))
  page = await company.signIn(ada.email, null)
  await virtualAuthenticator(page)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const idOf = (name: string) => organizations.find((one) => one.name === name)?.id as string

/** The first contact has the same address in every organization. */
function contactsOf(name: string, amount: number) {
  const at = new Date().toISOString()
  company.db.transaction(() => {
    for (let n = 0; n < amount; n++)
      company.db.run(
        q.insertInto('contacts').values({
          id: randomUUIDv7(),
          org_id: idOf(name),
          name: `Contact ${n}`,
          email: n === 0 ? 'grace@harbour.test' : `${n}@${idOf(name)}.test`,
          created_at: at,
          updated_at: at,
        }),
      )
  })
}

const dialog = () => page.getByRole('dialog', { name: /^Merge / })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
const open = async (name: string) => {
  await page.goto(`/organizations/${idOf(name)}?tab=danger`)
  await button('Merge…').click()
  await dialog().getByRole('combobox', { name: 'Target organization' }).waitFor()
}
const choose = async (search: string, name: string) => {
  const field = dialog().getByRole('combobox', { name: 'Target organization' })
  await field.fill(search)
  // Options that do not match disappear at once, not when the answer arrives: the first one is the match.
  await page.getByRole('option', { name, exact: true }).waitFor()
  await field.press('ArrowDown')
  await field.press('Enter')
  await expect.poll(() => field.inputValue()).toBe(name)
}

test('the survivor is searched by name among organizations that can take in another', async () => {
  await open('Harbour Logistics 1')
  const field = dialog().getByRole('combobox')
  await field.fill('logistics')
  await page.getByRole('option', { name: 'Lantern Logistics 2' }).waitFor()
  expect(await page.getByRole('option', { name: 'Harbour Logistics 1', exact: true }).count()).toBe(0)
  expect(await page.getByRole('option', { name: 'Copper Logistics 4' }).count()).toBe(0)
  await look(page, 'merge-choose')
  await field.fill('nobody of this name')
  await page.getByText('No active organizations match').waitFor()
})

test('after a second factor the preview lists in plain words what moves', async () => {
  await open('Harbour Logistics 1')
  await choose('lantern logistics', 'Lantern Logistics 2')
  await enrolPasskey(page)
  const row = (what: RegExp) => dialog().getByRole('row', { name: what })
  await row(/^Devices and their records\s+6/).waitFor()
  await row(/^Sites\s+3/).waitFor()
  await row(/^Contacts\s+3/).waitFor()
  await dialog()
    .getByText('1 contact has an email address that a contact of the organization that stays has too')
    .waitFor()
  await dialog().getByText('Lantern Logistics 2 has a limit of 10 devices and 12 with these').waitFor()
  await look(page, 'merge-preview')
})

test('a merge that is too large is announced and cannot continue', async () => {
  await open('Alder Logistics 3')
  await choose('lantern logistics', 'Lantern Logistics 2')
  await dialog().getByText('Too large to merge').waitFor()
  expect(await inDialog('Continue').getAttribute('aria-disabled')).toBe('true')
  await look(page, 'merge-too-large')
})

test('a merge that fails shows the reason and leaves everything as it was', async () => {
  company.db
    .statement(`CREATE TRIGGER held BEFORE INSERT ON org_merge_events BEGIN SELECT raise(ABORT, 'held'); END`)
    .run()
  await open('Harbour Logistics 1')
  await choose('lantern logistics', 'Lantern Logistics 2')
  await inDialog('Continue').click()
  await dialog().getByRole('textbox').fill('Harbour Logistics')
  await look(page, 'merge-confirm')
  await page.keyboard.press('Enter')
  expect(await dialog().getByRole('textbox').count()).toBe(1)
  await dialog().getByRole('textbox').fill('Harbour Logistics 1')
  // Half a second is too short for the test to see it.
  const slow = { state: 'active', progress: { phase: 'moving', movedRows: 2400, totalRows: 4960 } }
  await page.route('**/merge-runs/org-merge-*', (route) => route.fulfill({ json: slow }))
  await page.keyboard.press('Enter')
  await dialog().getByText('You can close this panel').waitFor()
  await dialog().getByText('Moving 2,400 of 4,960 records').waitFor()
  await look(page, 'merge-running')
  await page.unroute('**/merge-runs/org-merge-*')
  await dialog().getByRole('alert').getByText('Internal error').waitFor()
  company.db.statement('DROP TRIGGER held').run()
  await look(page, 'merge-failed')
  await inDialog('Close').last().click()
  await page.getByText('The merge into').waitFor()
  await page.getByText('Both organizations are as they were before.').waitFor()
  await look(page, 'merge-failed-notice')
})

test('the progress of a merge shows on both organizations', async () => {
  const [loser, survivor] = [idOf('Willow Logistics 7'), idOf('Falcon Logistics 8')]
  const partner = company.db.first(q.selectFrom('partners').select('id')) as { id: string }
  const job = { id: `org-merge-${loser}`, kind: 'organization.merge', org_id: loser, partner_id: partner.id }
  const progress = JSON.stringify({ phase: 'moving', movedRows: 1240, totalRows: 4960 })
  company.db.run(q.updateTable('organizations').set({ status: 'merging' }).where('id', '=', loser))
  company.db.run(
    q.insertInto('tasks').values({
      ...job,
      state: 'active',
      lease_until: '2999-01-01T00:00:00.000Z',
      progress,
      input: JSON.stringify({ survivorId: survivor }),
      created_at: new Date().toISOString(),
    }),
  )
  await page.goto(`/organizations/${survivor}`)
  await page.getByText('is being merged into this organization').waitFor()
  await page.getByText('Moving 1,240 of 4,960 records').waitFor()
  await look(page, 'merging-survivor')
  await page.getByRole('main').getByRole('link', { name: 'Willow Logistics 7' }).click()
  await page.getByText('This organization is being merged into').waitFor()
  await page.getByRole('tab', { name: 'Danger zone' }).click()
  await page.getByText('Nothing can be changed until the merge is finished.', { exact: true }).waitFor()
  await page.getByRole('status').getByText('Moving, a quarter is done').waitFor({ state: 'attached' })
  await look(page, 'merging-loser')
  company.db.run(q.deleteFrom('tasks').where('id', '=', job.id))
  company.db.run(q.updateTable('organizations').set({ status: 'active' }).where('id', '=', loser))
})

test('a merge runs to its end, and the page of the loser says where it went', async () => {
  const list = await page.context().newPage()
  await list.goto('/organizations?archived=1')
  const listed = list.getByRole('main').getByRole('link', { name: 'Harbour Logistics 1', exact: true })
  await listed.waitFor()
  await open('Harbour Logistics 1')
  await choose('lantern logistics', 'Lantern Logistics 2')
  await inDialog('Continue').click()
  await dialog().getByRole('textbox').fill('Harbour Logistics 1')
  const closing = { state: 'active', progress: { phase: 'fencing', movedRows: 0, totalRows: 0 } }
  await page.route('**/merge-runs/org-merge-*', (route) => route.fulfill({ json: closing }))
  await page.keyboard.press('Enter')
  await dialog().getByText('Locking the organization and waiting').first().waitFor()
  await page.unroute('**/merge-runs/org-merge-*')
  await page.getByRole('heading', { name: 'Harbour Logistics 1 was merged' }).waitFor()
  await page.getByText('1 contact has an email address that a contact of the organization that stays has too').waitFor()
  await page.getByRole('row', { name: /^Devices and their records\s+6/ }).waitFor()
  await look(page, 'merged')
  // A link that limits a list to it says why the list is empty.
  const old = await page.context().newPage()
  await old.goto(`/devices?org=${new URL(page.url()).pathname.split('/').at(-1)}`)
  await old.getByRole('button', { name: /Harbour Logistics 1 \(merged\)/ }).waitFor()
  await old.close()
  // An open list of organizations loses the row and says where it went.
  await listed.waitFor({ state: 'detached' })
  await list.getByText('Merged into Lantern Logistics 2 just now').waitFor()
  await list.close()
  await page.getByRole('link', { name: 'Open Lantern Logistics 2' }).click()
  await page.getByText('Harbour Logistics 1 was merged into this organization').waitFor()
  await page.getByText('12 of 10 used').getByText('Over the limit').waitFor()
  await page.getByText('Lantern Logistics 2 has 12 devices and a limit of 10.').waitFor()
  await look(page, 'merged-survivor')
  await page.getByRole('main').getByRole('button', { name: 'Close', exact: true }).click()
  await expect.poll(() => page.getByText('was merged into this organization').count()).toBe(0)
  await page.reload()
  await page.getByRole('heading', { name: 'Lantern Logistics 2' }).waitFor()
  await page.getByText('12', { exact: true }).first().waitFor()
  expect(await page.getByText('was merged into this organization').count()).toBe(0)
})
