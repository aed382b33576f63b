import { randomUUIDv7 } from 'node:crypto'
import { generateSync } from 'otplib'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { login } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { inviteUser } from '../../shared/api/people.ts'
import { createRole } from '../../shared/api/roles.ts'
import { createSsoProvider, setSsoProviderStatus, updateSsoProvider } from '../../shared/api/sso-providers.ts'
import { type BodyOf, type Endpoint, type InputOf, pathOf, type ReplyOf } from '../../shared/endpoint.ts'
import { type OpenIdProvider, openIdProvider } from '../helpers/openid-provider.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enter, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { isHome } from './navigation.ts'
import { noticeAppears } from './notices.ts'

/** Signing in through a real identity provider, with its own certificate authority, in a real Chromium. */

const tina = { name: 'Tina Technician', email: 'tina@northwind.test' }
let idp: OpenIdProvider
let company: Company
let orgId: string
let token: string
let contoso: string
let tinaId: string
let technician: Page

beforeAll(async () => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  idp = await openIdProvider({
    appliances: [origin],
    asks: true,
    people: {
      tina: { email: tina.email, email_verified: true, name: tina.name },
      nora: { email: 'nora@northwind.test', email_verified: true, name: 'Nora New' },
    },
  })
  const limits = ['SSO_LOGIN', 'SSO_LOGIN_TARGET', 'SSO_DISCOVERY', 'SSO_EXCHANGE', 'SSO_PROBE']
  company = await startCompany(
    {
      ...Object.fromEntries(limits.map((name) => [`HOMEPORT_LIMIT_${name}`, '0/60'])),
      ...idp.env,
      PUBLIC_URL: origin,
      HOMEPORT_PORT: String(port),
    },
    // This relaxes only the provider; the appliance checks certificates.
    { ignoreHTTPSErrors: true },
  )
  token = await administratorToken()
  orgId = (await call(createOrganization, { body: { name: 'Contoso', slug: 'contoso' } })).id
  const role = await call(createRole, {
    query: {},
    body: { name: 'Staff', orgId, permissions: [{ resource: 'devices', action: 'read' }] },
  })
  contoso = await provider({ name: 'Contoso login', orgId, defaultRoleId: role.id, trustsIdpMfa: true }, 'active')
  await provider({ name: 'Contoso tomorrow', orgId }, 'testing')
  const now = new Date().toISOString()
  company.db.run(
    q.insertInto('sso_verified_domains').values({
      id: randomUUIDv7(),
      org_id: orgId,
      domain: 'corp.test',
      verification_token: 'a'.repeat(48),
      verified_at: now,
      created_at: now,
      updated_at: now,
    }),
  )
  tinaId = await company.hire(tina)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
  await idp?.[Symbol.asyncDispose]()
})

async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<ReplyOf<E>> {
  const { params = {}, body = {} } = input as { params?: Record<string, string>; body?: unknown }
  const response = await fetch(`${company.origin}/api/v1${pathOf(endpoint, params)}`, {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${endpoint.name}: ${response.status} ${await response.text()}`)
  return (await response.json()) as ReplyOf<E>
}

/** Enrols a second factor for Ada and signs her in with it. */
async function administratorToken(): Promise<string> {
  const { tokens } = await call(login, { body: { email: ada.email, password } })
  token = tokens?.accessToken ?? ''
  const { secret } = await call(mfaSetup, { body: {} })
  return (await call(mfaEnable, { body: { code: generateSync({ secret }) } })).tokens.accessToken
}

async function provider(
  settings: Partial<BodyOf<typeof createSsoProvider>>,
  status: 'active' | 'testing' | 'inactive',
) {
  const { issuer, clientId, clientSecret } = idp
  const body = { name: '', type: 'oidc' as const, issuer, clientId, clientSecret, ...settings }
  const { data } = await call(createSsoProvider, { query: {}, body })
  await call(setSsoProviderStatus, { params: { id: data.id }, body: { status } })
  return data.id
}

/** A browser in which nobody is signed in, for one test. */
async function visit(): Promise<Page> {
  const page = await company.visit()
  onTestFinished(() => leave(page))
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

/** Answers as this person at the identity provider, such as `alice+mfa`; an unknown name cancels. */
async function answer(page: Page, who: string) {
  await page.getByLabel('Who are you?').fill(who)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** The address, without the fragment, once the page has read it. */
const arrived = (page: Page, path: string) => page.waitForURL((url) => url.href === company.origin + path)

/** Signs in through the provider, to the tab "Security" of one's own profile. */
async function enterThrough(page: Page, email: string, who: string) {
  const profile = '/settings/profile?tab=security'
  await page.goto(`/login?next=${encodeURIComponent(profile)}`)
  await field(page, 'Email').fill(email)
  await link(page, 'Sign in with Contoso login').click()
  await answer(page, who)
  await page.getByText('Your account has no password').waitFor()
  await arrived(page, profile)
}

test('the first sign-in goes from the address to the provider, makes an account and opens the requested page', async () => {
  const page = await visit()
  await page.goto('/login?next=/settings/profile%3Ftab=sessions')
  await field(page, 'Email').fill('alice@corp.test')
  await link(page, 'Sign in with Contoso login').waitFor()
  expect(await page.getByRole('status').allTextContents()).toContain('You can also sign in with Contoso login.')
  // The password field stays in place.
  await field(page, 'Password').waitFor()
  await look(page, 'sso-found')
  await link(page, 'Sign in with Contoso login').click()
  await answer(page, 'alice+mfa')
  await arrived(page, '/settings/profile?tab=sessions')
  await page.getByText('Identity provider', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('Identity provider', { exact: true }).waitFor()
})

test('a second provider is connected and disconnected, and the last one cannot be disconnected', async () => {
  const page = await visit()
  await enterThrough(page, 'alice@corp.test', 'alice+mfa')
  await look(page, 'sso-connections')
  await button(page, 'Connect Contoso tomorrow').click()
  await answer(page, 'alice+mfa')
  await page.getByText('You can now sign in this way as well.').waitFor()
  await arrived(page, '/settings/profile?tab=security')
  await look(page, 'sso-connected')
  await button(page, 'Close this notice').click()
  const dialog = page.getByRole('dialog')
  await button(page, 'Disconnect Contoso tomorrow').click()
  await look(page, 'sso-disconnect')
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await button(page, 'Connect Contoso tomorrow').waitFor()
  await button(page, 'Disconnect Contoso login').click()
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('This is your only way to sign in').waitFor()
})

test('a failed connection shows its reason on the profile once', async () => {
  const page = await visit()
  await enterThrough(page, 'alice@corp.test', 'alice+mfa')
  await button(page, 'Connect Contoso tomorrow').click()
  await answer(page, 'bob')
  await page.getByText('has a different email address for you').waitFor()
  await arrived(page, '/settings/profile?tab=security')
  await look(page, 'sso-not-connected')
  await page.reload()
  await button(page, 'Connect Contoso tomorrow').waitFor()
  expect(await page.getByText('has a different email address for you').count()).toBe(0)
})

test('without a password, an old sign-in is renewed at the identity provider before a passkey is made', async () => {
  const page = await visit()
  const authenticator = await virtualAuthenticator(page)
  await enterThrough(page, 'bob@corp.test', 'bob')
  company.age()
  const makePasskey = async () => {
    await button(page, 'Set up two-factor authentication').click()
    await page.getByRole('button', { name: /^Passkey/ }).click()
    await button(page, 'Create passkey').click()
  }
  await makePasskey()
  const check = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await check.getByText('Sign in with your identity provider again').waitFor()
  await look(page, 'sso-again')
  await check.getByRole('link', { name: 'Sign in again' }).click()
  await answer(page, 'bob')
  await arrived(page, '/settings/profile?tab=security')
  await makePasskey()
  await field(page, 'I’ve saved these codes').waitFor()
  await authenticator[Symbol.asyncDispose]()
})

test('a one-time code of another person signs nobody in and leaves the address before it is tried', async () => {
  const stranger = await visit()
  const codeOf = new Promise<string>((resolve) => {
    stranger.on('response', (response) => {
      const { hash } = new URL(response.headers().location ?? '', company.origin)
      if (hash.startsWith('#ssoCode=')) resolve(hash)
    })
  })
  await stranger.route('**/sso/exchange', (route) => route.abort())
  await stranger.goto('/login')
  await field(stranger, 'Email').fill('alice@corp.test')
  await link(stranger, 'Sign in with Contoso login').click()
  await answer(stranger, 'alice')
  await stranger.getByText('Sign-in couldn’t be completed').waitFor()

  const page = await visit()
  const tried: string[] = []
  await page.route('**/sso/exchange', async (route) => {
    tried.push(page.url())
    await route.continue()
  })
  await page.goto(`/devices${await codeOf}`)
  await page.getByText('Sign-in couldn’t be completed').waitFor()
  await arrived(page, '/login?error=sso_exchange_failed&next=%2Fdevices')
  expect(tried).toEqual([`${company.origin}/devices`])
  await look(page, 'sso-foreign-code')

  // The account that is signed in stays, on a new page and on an open one.
  const own = await company.signIn(tina.email, '/settings/profile#ssoCode=foreign')
  onTestFinished(() => leave(own))
  await noticeAppears(own, 'You’re still signed in')
  await field(own, 'Your name').waitFor()
  expect(await field(own, 'Your name').inputValue()).toBe(tina.name)
  let isTried = false
  await own.route('**/sso/exchange', (route) => {
    isTried = true
    return route.continue()
  })
  await own.evaluate(() => location.assign('#ssoCode=foreign'))
  await expect.poll(() => own.url()).toBe(`${company.origin}/settings/profile`)
  expect(isTried).toBe(false)
})

test('a cancelled sign-in returns with a message, and no text from the address is shown', async () => {
  const page = await visit()
  await page.goto('/login')
  await field(page, 'Email').fill('alice@corp.test')
  await link(page, 'Sign in with Contoso login').click()
  await answer(page, 'nobody')
  await page.getByText('Signing in with your identity provider failed').waitFor()
  expect(page.url()).toBe(`${company.origin}/login?error=sso_error`)
  await look(page, 'sso-given-up')
  await page.goto('/login?error=Call+555-0100')
  await page.getByText('failed. Try again, or sign in another way.').waitFor()
  expect(await page.getByText('555').count()).toBe(0)
})

test('a rate-limited provider look-up does not stop the sign-in', async () => {
  const page = await visit()
  await page.route('**/auth/sso-discovery', (route) =>
    route.fulfill({ status: 429, json: { error: 'Too many requests', code: 'rate_limited', retryAfter: 60 } }),
  )
  const refused = page.waitForResponse('**/auth/sso-discovery')
  await enter(page, tina.email)
  await refused
  await page.waitForURL(isHome)
})

test('in an enforced company the password is behind a button, and the provider gets the address as a hint', async () => {
  const settings = { ownerScope: 'partner', enforceSSO: true, trustsIdpMfa: true } as const
  await provider({ name: 'Northwind login', ...settings }, 'active')
  const page = await company.visit()
  const other = await page.context().newPage()
  await other.goto('/login')
  await page.goto('/login')
  await link(page, 'Sign in with Northwind login').waitFor()
  expect(await field(page, 'Password').count()).toBe(0)
  await look(page, 'sso-enforced')
  await button(page, 'Sign in with a password instead').click()
  await field(page, 'Email').fill(tina.email)
  await field(page, 'Password').fill(password)
  await button(page, 'Sign in').click()
  await page.getByText('Wrong email or password.').waitFor()
  await look(page, 'sso-enforced-refused')

  await page.goto('/login')
  await field(page, 'Email').fill(tina.email)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Sign in with Northwind login')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${idp.issuer}/**`)
  await answer(page, 'tina+mfa')
  await page.waitForURL(isHome)
  // The other tab is signed in too.
  await other.waitForURL(isHome)
  technician = page
})

test('in an enforced company the profile offers no password, and the factor of the provider counts', async () => {
  const page = technician
  await page.goto('/settings/profile?tab=security')
  await page.getByText('Not in use').waitFor()
  await look(page, 'sso-enforced-profile')

  // A password alone would not open this.
  await page.goto(`/organizations/${orgId}?tab=contacts`)
  await button(page, 'New contact').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await dialog.getByLabel('Email', { exact: true }).fill('grace@corp.test')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('table').getByText('Grace Hopper').waitFor()
})

test('a page that waits for its owner resumes when they sign in at the provider in another tab', async () => {
  const page = technician
  await page.goto('/settings/profile')
  await field(page, 'Your name').fill('Tina the Typist')
  company.db
    .statement("UPDATE sessions SET revoked_at = created_at, revoked_reason = 'admin' WHERE user_id = ?")
    .run(tinaId)
  const waiting = page.getByRole('dialog', { name: 'Your session has ended' })
  // Another call of the page may meet the ended session first.
  await Promise.any([page.getByRole('button', { name: 'Save', exact: true }).first().click(), waiting.waitFor()])
  const opened = page.waitForEvent('popup')
  await waiting.getByRole('link', { name: 'Sign in with Northwind login' }).click()
  await answer(await opened, 'tina+mfa')
  await waiting.waitFor({ state: 'hidden' })
  expect(await field(page, 'Your name').inputValue()).toBe('Tina the Typist')
})

test('an invitation to an enforced company is accepted by signing in at its provider', async () => {
  const roleId = findBuiltInRole(company.db, 'Partner Admin', 'partner') as string
  const nora = { email: 'nora@northwind.test', name: 'Nora New' }
  const { inviteUrl = '' } = await call(inviteUser, { query: {}, body: { ...nora, roleId, orgAccess: 'all' } })
  const page = await visit()
  await page.goto(inviteUrl)
  await page.getByText('People there sign in with Northwind login.').waitFor()
  await look(page, 'sso-invitation')
  await link(page, 'Sign in with Northwind login').click()
  await answer(page, 'nora')
  await page.waitForURL(isHome)
})

test('the address of a customer leads to the provider of their own organization, which may enforce it', async () => {
  const page = await visit()
  await page.goto('/login')
  await link(page, 'Sign in with Northwind login').waitFor()
  await field(page, 'Email').fill('alice@corp.test')
  await link(page, 'Sign in with Contoso login').waitFor()
  // Their provider does not enforce it, so the password is shown again.
  await field(page, 'Password').waitFor()
  await look(page, 'sso-two-providers')
  await call(updateSsoProvider, { params: { id: contoso }, body: { enforceSSO: true } })
  await page.reload()
  await field(page, 'Email').fill('alice@corp.test')
  // The focus moves towards the password, which is no longer there.
  await page.keyboard.press('Tab')
  await page.getByText('People of your organization sign in with Contoso login.').waitFor()
  expect(await field(page, 'Password').count()).toBe(0)
  await look(page, 'sso-enforced-found')
  expect(company.complaints).toEqual([])
})
