import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ada, type Company, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { isHome } from './navigation.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedGroup, seedOrganizations } from './tenants.ts'

/** How people join a company, what they get there, and how they leave. */

const tess = { name: 'Tess Technician', email: 'tess@northwind.test' }
const kim = { name: 'Kim Keeper', email: 'kim@harbour.test' }
let company: Company
let page: Page
let customers: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany()
  customers = seedOrganizations(company.db, 3)
  const [first] = customers as [SeededOrganization]
  seedGroup(company.db, first.id, null, 'Servers', first.sites[0]?.deviceIds ?? [])
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const field = (label: string, on = page) => on.getByLabel(label, { exact: true }).filter({ visible: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const choose = async (label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await chooseOption(page.getByRole('option', { name: option }))
}
const stored = (columns: string, email: string) =>
  company.db
    .statement(
      `SELECT ${columns} FROM users u LEFT JOIN partner_users p ON p.user_id = u.id
       LEFT JOIN organization_users o ON o.user_id = u.id WHERE email = ?`,
    )
    .get(email) as Record<string, unknown>

/** A browser in which nobody is signed in. */
async function visitor(path: string): Promise<Page> {
  const fresh = await company.visit()
  await fresh.goto(path)
  return fresh
}

test('the columns of the list are chosen, and kept with the account', async () => {
  const heading = (name: string) => page.getByRole('columnheader', { name, exact: true })
  await page.goto('/settings/people')
  await button('Columns').click()
  // The name cannot be hidden: it links to the page of the person.
  expect(await page.getByRole('menuitemcheckbox', { name: 'Name' }).count()).toBe(0)
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('menuitemcheckbox', { name: 'Second factor' }).click()
  await saved
  await expect.poll(() => heading('Second factor').count()).toBe(0)
  await page.keyboard.press('Escape')
  await look(page, 'people-columns')
  await page.reload()
  await heading('Last sign-in').waitFor()
  expect(await heading('Second factor').count()).toBe(0)
  // The cards of a narrow screen show all columns.
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByText('None', { exact: true }).waitFor()
  expect(await button('Columns').count()).toBe(0)
  if (wide) await page.setViewportSize(wide)
  await button('Columns').click()
  await page.getByRole('menuitem', { name: 'Reset columns' }).click()
  await heading('Second factor').waitFor()
})

let link = ''

test('an invitation to the company shows its link for copying', async () => {
  await page.getByRole('link', { name: 'People' }).click()
  await look(page, 'people')
  await button('Invite person').click()
  await button('Invite').click()
  await page.getByText('Enter an email address').waitFor()
  await page.getByText('Choose a role', { exact: true }).waitFor()
  await field('Email').fill(tess.email)
  await field('Name').fill(tess.name)
  await field('Role').click()
  expect(await page.getByRole('option').last().textContent()).toMatch(/^Billing/)
  await page.getByText('Not used yet', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await choose('Role', /^Technician/)
  // Ada’s browser is at “localhost” itself, and so no better address is known.
  await dialog('Invite person')
    .getByText(/^The link will start with http:\/\/localhost:/)
    .getByRole('link', { name: 'Change the public address' })
    .waitFor()
  expect(await field('Only some organizations').isChecked()).toBe(true)
  await button('Invite').click()
  await page.getByText('Choose at least one organization').waitFor()
  await choose('Organizations', 'Lantern Logistics 2')
  await page.getByText('Lantern Logistics 2 added').waitFor({ state: 'attached' })
  await button('Remove Lantern Logistics 2').click()
  await page.getByText('Lantern Logistics 2 removed').waitFor({ state: 'attached' })
  await choose('Organizations', 'Lantern Logistics 2')
  expect(await page.getByRole('combobox', { name: 'Organizations' }).getAttribute('aria-description')).toContain(
    'Lantern Logistics 2',
  )
  await page.keyboard.press('Escape')
  await look(page, 'people-invite')
  await button('Invite').click()
  const told = dialog('Tess Technician was invited')
  await told.getByText('anyone who has it choose the password').waitFor()
  link = (await told.getByLabel('Invitation link').textContent()) ?? ''
  await look(page, 'people-invited')
  await button('Done').click()
  await page
    .getByRole('row', { name: /Tess Technician/ })
    .getByText('1 organization')
    .waitFor()
  await button('Invite person').click()
  await field('Email').fill(tess.email.toUpperCase())
  await dialog('Invite person').getByText('Tess Technician is already a member').waitFor()
  await look(page, 'people-invite-twice')
  await page.getByRole('link', { name: 'Invite again on their page' }).click()
  await page.getByRole('heading', { name: tess.name }).waitFor()
  await page.getByRole('link', { name: 'People' }).first().click()
  expect(link).toMatch(/\/accept-invite\?token=[\w-]{40,}$/)
})

test('the invitation page names the company, refuses a weak password and signs in with a good one', async () => {
  const hers = await visitor(link)
  await hers.getByRole('heading', { name: 'You’re invited to Northwind Traders' }).waitFor()
  await hers.waitForURL((url) => url.search === '')
  await look(hers, 'accept-invite')
  await field('Password', hers).fill('Technician1')
  await field('Repeat password', hers).fill('Technician1')
  await button('Accept and sign in', hers).click()
  await hers.getByRole('alert').or(hers.locator('[aria-invalid=true]')).first().waitFor()
  await look(hers, 'accept-invite-weak')
  await field('Password', hers).fill(password)
  await field('Repeat password', hers).fill(password)
  await button('Accept and sign in', hers).click()
  await hers.waitForURL(isHome)
  await hers.goto(link)
  await hers.getByRole('heading', { name: 'You’ve already accepted' }).waitFor()
  await hers.goto(new URL('/accept-invite?token=nonsense', link).href)
  await hers.getByRole('heading', { name: 'This invitation has expired' }).waitFor()
  await look(hers, 'accept-invite-dead')
  await leave(hers)
})

test('the page of a person shows and changes their role and reach', async () => {
  const row = page.getByRole('row', { name: /Tess Technician/ })
  await row.getByText('Invited', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Tess Technician' }).click()
  await page.getByText('Only these organizations: Lantern Logistics 2.').waitFor()
  await choose('Why can Tess Technician do this?', 'Devices: run')
  await page.getByText('itself permits Devices: run').waitFor()
  await look(page, 'person')
  await button('Change role and access…').click()
  const form = dialog('Tess Technician at Northwind Traders')
  await choose('Role', /^Viewer/)
  await field('All organizations').check()
  await look(page, 'person-role')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('All organizations of the company').waitFor()
  expect(stored('org_access, org_ids', tess.email)).toEqual({ org_access: 'all', org_ids: null })
  await page.getByRole('main').getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('link', { name: ada.name }).click()
  await page.getByText('Someone else has to change your').waitFor()
  expect(await button('Remove…').count()).toBe(0)
})

test('an organization has people of its own, confined to sites and groups', async () => {
  await page.goto(`/organizations/${customers[0]?.id}?tab=people`)
  await button('Invite person').click()
  await field('Email').fill(kim.email)
  await field('Name').fill(kim.name)
  await choose('Role', /^Organization viewer/)
  await field('Only some sites').first().check()
  await page.getByRole('combobox', { name: 'Only some sites' }).click()
  await chooseOption(page.getByRole('option', { name: 'Warehouse' }))
  await page.keyboard.press('Escape')
  await button('Invite').click()
  await button('Done').click()
  await page
    .getByRole('row', { name: /Kim Keeper/ })
    .getByText('Only 1 site')
    .waitFor()
  await look(page, 'organization-people')
  const site = customers[0]?.sites[1]?.id
  expect(stored('status, site_ids, device_group_ids', kim.email)).toEqual({
    status: 'invited',
    site_ids: JSON.stringify([site]),
    device_group_ids: null,
  })
  await page.getByRole('link', { name: kim.name }).click()
  await page.getByText('Only these sites: Warehouse.').waitFor()
  company.db.statement("UPDATE one_time_secrets SET expires_at = '2020-01-01T00:00:00.000Z'").run()
  await page.reload()
  await page.getByText('Invitation expired').waitFor()
  await button('Invite again').click()
  await dialog('Kim Keeper was invited').getByLabel('Invitation link').waitFor()
  await button('Done').click()
  await button('Remove…').click()
  const question = dialog(/^Remove Kim Keeper from/)
  await question.getByText('They lose access').waitFor()
  await look(page, 'person-remove')
  await question.getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL('**/organizations/**')
  await page.getByText('No people yet').waitFor()
})

/** As an administrator of one site of the organization. */
async function onlyInvitesToHerOwnSite(hers: Page, place: string) {
  company.db
    .statement(
      `UPDATE organization_users SET role_id = (SELECT id FROM roles WHERE name = 'Org Admin'), site_ids = ?
       WHERE user_id = (SELECT id FROM users WHERE email = ?)`,
    )
    .run(JSON.stringify([customers[0]?.sites[1]?.id]), tess.email)
  await hers.goto('/settings/people')
  await button('Invite person', hers).click()
  const form = hers.getByRole('dialog', { name: `Invite person to ${place}` })
  expect(await form.getByLabel('All sites').isDisabled()).toBe(true)
  await form.getByText('Warehouse').waitFor()
  await look(hers, 'people-invite-confined')
  await field('Email', hers).fill('half@typed.test')
  await hers.keyboard.press('Escape')
  await hers.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click()
  await form.waitFor({ state: 'hidden' })
}

test('a user with several memberships switches between them, also out of a closed one', async () => {
  await button('Invite person').click()
  await field('Email').fill(tess.email)
  await field('Name').fill('Somebody else')
  await choose('Role', /^Organization viewer/)
  await button('Invite').click()
  const told = dialog('Somebody else was invited')
  await told.getByText('has an account already').waitFor()
  const offer = (await told.getByLabel('Invitation link').textContent()) ?? ''
  await button('Done').click()
  // The inviter sees the name they entered, not that of the account.
  await page
    .getByRole('row', { name: /Somebody else/ })
    .getByText('Invited', { exact: true })
    .waitFor()

  const hers = await visitor(offer)
  await hers.getByRole('heading', { name: 'You’re invited to Harbour Logistics 1' }).waitFor()
  await look(hers, 'accept-invite-existing')
  await field('Password', hers).fill(password)
  await button('Sign in', hers).click()
  await hers.getByText(`You’re signed in as ${tess.email}.`).waitFor()
  await look(hers, 'accept-invite-signed-in')
  await hers.goto(new URL('/devices', offer).href)
  await hers.getByText('Ada Admin invited you to Harbour Logistics 1.').waitFor()
  await hers.getByRole('link', { name: 'View invitation' }).click()
  await hers.getByText('Your account doesn’t change until you accept').waitFor()
  await hers.getByText('Open the link in the invitation to accept it.').waitFor()
  expect(await button('Accept', hers).count()).toBe(0)
  await look(hers, 'profile-invitation')
  await hers.goto(offer)
  await hers.getByText(`You’re signed in as ${tess.email}.`).waitFor()
  await button('Accept', hers).click()
  await hers.getByText('You’ve joined Harbour Logistics 1.').waitFor()
  await hers.goto(offer)
  await hers.getByRole('heading', { name: 'You’ve already accepted' }).waitFor()
  await hers.goto(new URL('/devices', offer).href)
  await Promise.all([hers.waitForResponse('**/api/v1/auth/memberships'), hers.reload()])
  const menu = () => button('Account of Tess Technician', hers)
  await menu().focus()
  await hers.keyboard.press('Enter')
  await hers.getByText('Working in Northwind Traders').waitFor()
  await look(hers, 'tenant-choice')
  await expect.poll(() => hers.evaluate(() => document.activeElement?.textContent)).toMatch(/^Go to Harbour/)
  await hers.keyboard.press('Enter')
  const other = 'Harbour Logistics 1'
  await hers.waitForLoadState()
  await expect
    .poll(async () => {
      await hers.keyboard.press('Escape')
      await menu().click()
      return hers.getByText(`Working in ${other}`).isVisible()
    })
    .toBe(true)
  await hers.getByRole('banner').getByText(other).waitFor()
  expect(await hers.getByRole('link', { name: 'Organizations' }).count()).toBe(0)
  await onlyInvitesToHerOwnSite(hers, other)

  company.db.statement("UPDATE organizations SET status = 'suspended' WHERE id = ?").run(customers[0]?.id)
  await hers.getByRole('link', { name: 'Devices', exact: true }).click()
  await hers.getByText('You’re no longer a member of the place').waitFor()
  await look(hers, 'sign-in-elsewhere')
  await hers.getByRole('link', { name: 'Continue there' }).click()
  await hers.getByRole('link', { name: 'Organizations' }).waitFor()

  const run = (sql: string, ...values: unknown[]) => company.db.statement(sql).run(...values)
  const contoso = randomUUID()
  run(
    `INSERT INTO partners (id, name, slug, status, created_at, updated_at)
     SELECT ?, 'Contoso', 'contoso', 'active', created_at, updated_at FROM partners`,
    contoso,
  )
  run(
    `INSERT INTO partner_users (id, partner_id, user_id, role_id, org_access, created_at)
     SELECT ?, ?, user_id, role_id, 'all', '2040-01-01T00:00:00.000Z' FROM partner_users
     WHERE user_id = (SELECT id FROM users WHERE email = ?)`,
    randomUUID(),
    contoso,
    tess.email,
  )
  run("UPDATE partners SET status = 'pending' WHERE id != ?", contoso)
  await hers.goto('/devices')
  await button('Go to Contoso', hers).waitFor()
  await look(hers, 'inactive-elsewhere')
  await button('Go to Contoso', hers).click()
  await hers.getByRole('banner').getByText('Contoso').waitFor()
  run("UPDATE partners SET status = 'active'")
  await leave(hers)
})

test('a profile picture is cropped to a square, shown and removed', async () => {
  await page.goto('/settings/profile')
  const photo = await sharp({ create: { width: 900, height: 500, channels: 3, background: '#2a7ab0' } })
    .jpeg()
    .toBuffer()
  const pick = (name: string, buffer: Buffer) =>
    page.getByLabel('Image file').setInputFiles({ name, mimeType: 'image/jpeg', buffer })
  await pick('notes.jpg', Buffer.from('no image'))
  await page.getByText('This file can’t be read as an image').waitFor()
  await pick('me.jpg', photo)
  await page.getByRole('img', { name: 'Selected picture' }).waitFor()
  expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
  await look(page, 'profile-picture')
  await button('Save picture').click()
  await noticeAppears(page, 'Picture saved')
  const shown = page.getByRole('banner').locator('img[src^="data:image/webp"]')
  await shown.waitFor()
  await page.goto('/settings/people')
  await page
    .getByRole('row', { name: /Ada Admin/ })
    .locator('img[src^="data:image/webp"]')
    .waitFor()
  await page.goto('/settings/profile')
  await button('Remove').click()
  await noticeAppears(page, 'Picture removed')
  await shown.waitFor({ state: 'detached' })
})

test('the list is filtered by its address, and a link keeps the filter', async () => {
  await page.goto('/settings/people?account=active&search=tess')
  await page.getByText('2 memberships', { exact: true }).waitFor()
  await choose('Belongs to', 'Harbour Logistics 1')
  await page.waitForURL(/within=/)
  await page.getByText('1 membership', { exact: true }).waitFor()
  await button('Clear filters').click()
  await page.waitForURL((url) => url.search === '')
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
