import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { dnsServer } from '../helpers/dns-server.ts'
import { type OpenIdProvider, openIdProvider } from '../helpers/openid-provider.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, password, startCompany } from './company.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** An administrator sets up single sign-on for the first time without locking anybody out. */

const olga = { name: 'Olga Operator', email: 'olga@platform.test' }
let dns: Awaited<ReturnType<typeof dnsServer>>
let idp: OpenIdProvider
let company: Company
let page: Page
let org: SeededOrganization

beforeAll(async () => {
  dns = await dnsServer()
  idp = await openIdProvider()
  company = await startCompany({ ...dns.env, SSO_TRUST_JSON: JSON.stringify(idp.trust) })
  org = seedOrganizations(company.db, 1)[0] as SeededOrganization
  for (const name of ['Bea Baker', 'Carl Carter']) seedMember(name)
  const clerk = { name: 'Clerk', description: 'Looks only', scope: 'organization', org_id: org.id } as const
  company.db.run(q.insertInto('roles').values({ id: randomUUIDv7(), ...clerk, ...stamps }))
  const id = await company.hire(olga)
  company.db.statement('DELETE FROM partner_users WHERE user_id = ?').run(id)
  company.db.statement('UPDATE users SET is_platform_admin = 1 WHERE id = ?').run(id)
  page = await company.signIn(ada.email, null)
  await virtualAuthenticator(page)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
  await idp?.[Symbol.asyncDispose]()
  await dns?.[Symbol.asyncDispose]()
})

const stamps = { created_at: new Date().toISOString(), updated_at: new Date().toISOString() }

function seedMember(name: string) {
  const id = randomUUIDv7()
  const email = `${name.split(' ')[0]?.toLowerCase()}@harbour.test`
  const role_id = findBuiltInRole(company.db, 'Org Admin', 'organization') as string
  company.db.transaction(() => {
    company.db.run(q.insertInto('users').values({ id, email, name, status: 'active', ...stamps }))
    company.db.run(
      q
        .insertInto('organization_users')
        .values({ id: randomUUIDv7(), org_id: org.id, user_id: id, role_id, created_at: stamps.created_at }),
    )
  })
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const field = (label: string) => page.getByLabel(label, { exact: true })
const provider = (name = 'Keycloak') =>
  company.db.first(q.selectFrom('sso_providers').selectAll().where('name', '=', name))
const said = (text: string | RegExp) => page.getByText(text).first().waitFor()

test('a provider is set up from a preset, and errors in its address are explained', async () => {
  await page.goto(`/organizations/${org.id}?tab=sign-on`)
  await said('No identity provider yet')
  await look(page, 'sso-empty')
  await page.getByRole('link', { name: 'Add an identity provider' }).click()
  await said('Choose your identity provider')
  await look(page, 'sso-presets')
  await button(/^Microsoft Entra ID/).click()
  await field('Directory (tenant) ID').fill('https://login.microsoftonline.com/common/v2.0')
  await button('Save').click()
  await said('That address serves all customers')
  await look(page, 'sso-entra')
  await button('Choose another provider').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await button(/^Keycloak/).click()
  await field('Issuer').fill(`https://localhost:${await freePort()}`)
  await field('Client ID').fill(idp.clientId)
  await field('Client secret').fill(idp.clientSecret)
  await page.getByLabel('Create accounts at first sign-in').check()
  await page.getByRole('combobox', { name: 'Role for new people' }).click()
  // Built-in roles are not among them.
  expect(await page.getByRole('option').count()).toBe(1)
  await chooseOption(page.getByRole('option', { name: 'Clerk' }))
  await look(page, 'sso-new')
  await button('Save').click()
  await enrolPasskey(page)
  await said('Saved, but the identity provider couldn’t be reached')
  await said(/Homeport contacts such a server only if it’s listed/)
  await look(page, 'sso-not-asked')
  expect(provider()).toMatchObject({ status: 'inactive', authorization_url: null })
  await button('Test now').click()
  await page
    .getByRole('alert')
    .getByText(/ask the appliance operator to list it/)
    .waitFor()
})

test('a test lists every endpoint, and one that differs from the stored one can be adopted', async () => {
  await field('Issuer').fill(idp.issuer)
  await button('Save').click()
  await noticeAppears(page, 'Keycloak saved')
  await button(/^Test/).click()
  for (const what of ['authorization', 'token', 'userinfo', 'jwks']) await said(new RegExp(`\\(${what}\\)`))
  await said(`${idp.issuer}/token`)
  await look(page, 'sso-tested')
  await button('Advanced').click()
  await field('Keys (jwks)').fill(`${idp.issuer}/elsewhere`)
  await look(page, 'sso-advanced')
  await button('Save').click()
  await expect.poll(() => provider()?.jwks_url).toBe(`${idp.issuer}/elsewhere`)
  await button('Test again').click()
  await said('Keys (jwks): a different one is saved')
  await button('Use the provider’s').click()
  await expect.poll(() => provider()?.jwks_url).toBe(`${idp.issuer}/jwks`)

  company.db.run(q.updateTable('sso_providers').set({ default_role_configured_by: null }))
  await page.reload()
  await said('The person who chose the role no longer has an account here')
  await button('Take responsibility for the role').click()
  await noticeAppears(page, 'You now answer for the role')
  expect(provider()?.default_role_configured_by).not.toBeNull()
})

test('before passwords are turned off, the dialog lists who would be locked out', async () => {
  await button('Turn on').click()
  await said('The sign-in page doesn’t offer it until a domain is verified.')
  await said(`/api/v1/sso/login/${org.id}`)
  expect(provider()?.status).toBe('active')
  await button('Turn passwords off…').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nobody has ever signed in with Keycloak').waitFor()
  await dialog.getByText('Bea Baker, bea@harbour.test').waitFor()
  await dialog.getByText(/People of the company that manages/).waitFor()
  await look(page, 'sso-enforce')
  const confirm = dialog.getByRole('button', { name: 'Turn passwords off' })
  expect(await confirm.getAttribute('aria-disabled')).toBe('true')
  await dialog.getByLabel(/to confirm$/).fill('Keycloak')
  await confirm.click()
  await said('Off: people sign in with Keycloak only')
  expect(provider()?.enforce_sso).toBe(1)
  await look(page, 'sso-enforced')
})

test('a domain is verified by a DNS record', async () => {
  await page.goto(`/organizations/${org.id}?tab=sign-on`)
  await said('Passwords off')
  await field('Domain').fill('https://Harbour.test/')
  await button('Add').click()
  await button('Check now').click()
  await said(/The record isn’t there yet/)
  await look(page, 'sso-domain')
  const { verification_token: token } = company.db.first(q.selectFrom('sso_verified_domains').selectAll()) as {
    verification_token: string
  }
  dns.set('_svc-verify.harbour.test', `svc-domain-verify=${token}`)
  await button('Check now').click()
  await noticeAppears(page, 'harbour.test is verified')
  await look(page, 'sso-list')
  await button('Remove…').click()
  await page
    .getByRole('dialog')
    .getByText(/This is the last verified domain/)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
})

test('an operator lets locked out people of a company back in', async () => {
  await page.goto('/settings/sign-in?tab=sign-on')
  await page.getByRole('link', { name: 'Add an identity provider' }).click()
  await button(/^Okta/).click()
  await field('Okta domain').fill('https://dev-1.okta.com/')
  await said('The issuer becomes https://dev-1.okta.com.')
  await look(page, 'sso-okta')
  await button('Choose another provider').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await button(/^Other/).click()
  await field('Name').fill('House account')
  await field('Issuer').fill(idp.issuer)
  await field('Client ID').fill(idp.clientId)
  await field('Client secret').fill(idp.clientSecret)
  await button('Save').click()
  await button('Turn on').click()
  await noticeAppears(page, 'House account is on')
  await button('Turn passwords off…').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Including you.').waitFor()
  await dialog.getByText('npm run admin -- create-operator').waitFor()
  await look(page, 'sso-enforce-company')
  await dialog.getByLabel(/to confirm$/).fill('House account')
  await dialog.getByRole('button', { name: 'Turn passwords off' }).click()
  await said('Off: people sign in with House account only')
  await button('Remove…').click()
  await dialog.getByText('Nobody has connected their account to it.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  const theirs = await company.visit()
  await virtualAuthenticator(theirs)
  await theirs.goto('/login')
  await theirs.getByRole('button', { name: 'Sign in with a password instead' }).click()
  await theirs.getByLabel('Email', { exact: true }).fill(olga.email)
  await theirs.getByLabel('Password', { exact: true }).fill(password)
  await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
  await theirs.getByRole('link', { name: 'Companies' }).click()
  await theirs.getByRole('link', { name: 'Northwind Traders' }).click()
  await theirs.getByText('passwords are off').waitFor()
  await look(theirs, 'sso-operator')
  await theirs.getByRole('link', { name: 'House account' }).click()
  await theirs.getByRole('button', { name: 'Turn passwords back on' }).click()
  await enrolPasskey(theirs)
  await noticeAppears(theirs, 'Passwords are back on')
  expect(provider('House account')?.enforce_sso).toBe(0)
})
