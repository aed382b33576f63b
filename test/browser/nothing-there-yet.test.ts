import { expect, onTestFinished, test } from 'vitest'
import { ada, startCompany } from './company.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'
import { seedOrganizations } from './tenants.ts'

/** Where something that a form needs does not exist yet, the button that creates it is there. */

test('without any organization, forms that need one offer to create it', async () => {
  const company = await startCompany({ ENABLE_2FA: 'false' })
  onTestFinished(() => company[Symbol.asyncDispose]())
  const page = await company.signIn(ada.email, '/enrollment-keys?create=key')
  const create = page.getByRole('dialog').getByRole('link', { name: 'Create organization' })
  await create.waitFor()
  await page.goto('/settings/api-keys?create=key')
  await create.waitFor()
  await page.goto('/settings/people')
  await page.getByRole('button', { name: /^Invite/ }).click()
  expect(await page.getByRole('dialog').getByLabel('Only some organizations').isChecked()).toBe(true)
  await look(page, 'invite-without-organization')
  await create.click()
  await page.getByRole('dialog', { name: 'New organization' }).waitFor()
})

test('an invitation to some sites of an organization without sites creates the first, and a lone organization merges with none', async () => {
  const company = await startCompany({ ENABLE_2FA: 'false' })
  onTestFinished(() => company[Symbol.asyncDispose]())
  const [organization] = seedOrganizations(company.db, 1, { sites: 0 })
  const page = await company.signIn(ada.email, `/organizations/${organization?.id}?tab=people`)
  await page
    .getByRole('button', { name: /^Invite/ })
    .first()
    .click()
  const invitation = page.getByRole('dialog', { name: /^Invite/ })
  await invitation.getByLabel('Email').fill('eve@acme.test')
  await invitation.getByLabel('Only some sites').check()
  await invitation.getByText('This organization has no sites yet.').waitFor()
  await invitation.getByRole('button', { name: 'New site' }).click()
  const newSite = page.getByRole('dialog', { name: 'New site' })
  await newSite.getByLabel('Name').fill('Depot')
  await newSite.getByRole('button', { name: 'Create' }).click()
  await newSite.waitFor({ state: 'detached' })
  await invitation.getByRole('combobox', { name: 'Only some sites' }).click()
  await chooseOption(page.getByRole('option', { name: 'Depot' }))
  expect(await invitation.getByLabel('Email').inputValue()).toBe('eve@acme.test')
  await page.goto(`/organizations/${organization?.id}?tab=danger`)
  await page.getByRole('button', { name: /^Merge/ }).click()
  await page.getByText('There’s no other active organization').waitFor()
  await page.getByRole('dialog').getByRole('link', { name: 'Create organization' }).waitFor()
})
