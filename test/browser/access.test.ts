import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enter, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'

/** Which pages each role may open, and how every page reacts when its session ends. */

const vic = { name: 'Vic Viewer', email: 'vic@northwind.test', role: 'Partner Viewer' }
const bill = { name: 'Bill Booker', email: 'bill@northwind.test', role: 'Partner Billing' }
const tom = { name: 'Tom Technician', email: 'tom@northwind.test', role: 'Partner Technician' }
const opal = { name: 'Opal Operator', email: 'opal@appliance.test' }
let company: Company

beforeAll(async () => {
  company = await startCompany({ TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8' })
  for (const who of [vic, bill, tom]) await company.hire(who)
  const operator = await company.hire(opal)
  company.db.run(q.deleteFrom('partner_users').where('user_id', '=', operator))
  company.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', operator))
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const lookedAt = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path)
/** A browser that somebody else uses. */
const browserOf = (email: string, path?: string | null, headers?: Record<string, string>) =>
  company.signIn(email, path, headers)

/** Another tab of the same browser, at the organizations. */
async function secondTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto('/organizations')
  await heading(tab, 'Organizations')
  return tab
}

async function signOut(page: Page, name: string) {
  await page.getByRole('button', { name: `Account of ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login?reason=signed-out')
}

test('a page for other roles shows "Not for your role" and a link to Home', async () => {
  const page = await browserOf(vic.email, null)
  for (const path of ['/system/mail', '/system/appliance']) {
    await page.goto(path)
    await page.getByText('You don’t have access to this page').waitFor()
    expect(await page.title()).toBe('No access · Homeport')
  }
  await look(page, 'not-for-your-role')
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await heading(page, 'Home')
  expect(await page.title()).toBe('Home · Homeport')
  await leave(page)
})

test('a user without access to devices lands on another page and opens no event stream', async () => {
  const page = await company.visit()
  let streams = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/events')) streams++
  })
  await enter(page, bill.email)
  await page.waitForURL((url) => !['/login', '/', '/devices'].includes(url.pathname))
  await page.goto('/devices')
  await page.getByText('You don’t have access to this page').waitFor()
  expect(streams).toBe(0)
  await leave(page)
})

test('an operator is told that people and company settings belong to one company', async () => {
  const page = await browserOf(opal.email, null)
  for (const path of ['/settings/people', '/settings/company', '/settings/sign-in']) {
    await page.goto(path)
    await page.getByText('you manage the whole appliance').waitFor()
  }
  await look(page, 'not-for-the-operator')
  await button(page, 'Sign out').click()
  await page.waitForURL('**/login?reason=signed-out')
  await leave(page)
})

test('an unknown address shows "No such page" inside the frame, or after sign-in', async () => {
  const page = await browserOf(vic.email, '/settings/nonsense')
  await page.getByText('Page not found').waitFor()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(await page.title()).toBe('Page not found · Homeport')
  await look(page, 'no-such-page')
  await page.context().clearCookies()
  await page.goto('/nonsense?x=1')
  await lookedAt(page, '/login')
  expect(new URL(page.url()).searchParams.get('next')).toBe('/nonsense?x=1')
  await expect.poll(() => page.title()).toBe('Sign in · Homeport')
  await leave(page)
})

test.each(['//evil.example', 'https://evil.example/', 'https:evil.example', '/\\evil.example', '/login'])(
  'next=%s leads to Home and never to another origin',
  async (next) => {
    const page = await browserOf(vic.email, `/login?next=${encodeURIComponent(next)}`)
    await lookedAt(page, '/')
    await page.context().clearCookies()
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await page.getByLabel('Email', { exact: true }).fill(vic.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await button(page, 'Sign in').click()
    await lookedAt(page, '/')
    await heading(page, 'Home')
    expect([new URL(page.url()).origin, await page.title()]).toEqual([company.origin, 'Home · Homeport'])
    await leave(page)
  },
)

test('every page before the sign-in has its own title', async () => {
  const page = await company.visit()
  const titles: Record<string, string> = {
    '/login': 'Sign in',
    '/forgot-password': 'Forgot your password?',
    '/reset-password': 'This link no longer works',
    '/unlock-account': 'This link no longer works',
    '/auth/verify-email': 'This link no longer works',
    // Without a mail server the form is not offered.
    '/register-partner': 'Sign in',
    '/auth/mfa/setup': 'Sign in',
    '/account/inactive': 'Sign in',
    '/setup': 'Sign in',
    '/': 'Sign in',
  }
  for (const [path, title] of Object.entries(titles)) {
    await page.goto(path)
    await expect.poll(() => page.title(), { message: path }).toBe(`${title} · Homeport`)
  }
  await leave(page)
})

test('from an address outside the allow-list a page explains the refusal and offers retry and sign-out', async () => {
  const page = await browserOf(vic.email, null, { 'x-forwarded-for': '198.51.100.7' })
  const setAllowed = (ipAllowlist: string[]) =>
    company.db.run(q.updateTable('partners').set({ settings: toJson({ security: { ipAllowlist } }) }))
  setAllowed(['203.0.113.0/24'])
  await page.goto('/devices')
  await heading(page, 'Not allowed from this network')
  await page.getByText('Your company doesn’t allow access from your network.').waitFor()
  expect(await page.title()).toBe('Not allowed from this network · Homeport')
  await look(page, 'not-from-here')
  setAllowed([])
  await button(page, 'Try again').click()
  await heading(page, 'Devices')
  setAllowed(['203.0.113.0/24'])
  await page.goto('/devices')
  await button(page, 'Sign out').click()
  await page.waitForURL('**/login?reason=signed-out')
  setAllowed([])
  await leave(page)
})

test('signing out takes every tab of the browser to the sign-in page at once, and no other browser', async () => {
  const [here, elsewhere] = [await browserOf(tom.email), await browserOf(tom.email)]
  const second = await secondTab(here)
  await signOut(here, tom.name)
  await second.waitForURL('**/login?next=%2Forganizations&reason=signed-out')
  await second.getByText('You’re signed out.').waitFor()
  await elsewhere.reload()
  await heading(elsewhere, 'Home')
  await leave(here)
  await leave(elsewhere)
})

test('signing out of all devices takes the tabs and the other browsers of the user to the sign-in page', async () => {
  const [here, elsewhere] = [await browserOf(tom.email), await browserOf(tom.email)]
  const second = await secondTab(here)
  await here.goto('/settings/profile?tab=sessions')
  await button(here, 'Sign out of all devices').click()
  await here.waitForURL('**/login?reason=signed-out-everywhere')
  await elsewhere.waitForURL('**/login?reason=signed-out-everywhere')
  await second.waitForURL('**/login?next=%2Forganizations&reason=signed-out-everywhere')
  await second.getByText('You’re signed out on all devices').waitFor()
  await second.getByLabel('Email', { exact: true }).fill(tom.email)
  await second.getByLabel('Password', { exact: true }).fill(password)
  await button(second, 'Sign in').click()
  await heading(second, 'Organizations')
  await leave(here)
  await leave(elsewhere)
})

test('a tab without an event stream learns of a sign-out from another tab', async () => {
  const here = await browserOf(tom.email)
  const second = await here.context().newPage()
  await second.route('**/api/v1/events**', (route) => route.abort())
  await second.goto('/organizations')
  await heading(second, 'Organizations')
  await signOut(here, tom.name)
  await second.waitForURL('**/login?next=%2Forganizations&reason=signed-out')
  await leave(here)
})

test('ending a session in the list or changing the password sends its pages to the sign-in page at once', async () => {
  const [here, elsewhere] = [await browserOf(tom.email), await browserOf(tom.email)]
  await here.goto('/settings/profile?tab=sessions')
  await here
    .getByRole('button', { name: /^End the session of/ })
    .first()
    .click()
  await elsewhere.waitForURL('**/login?reason=session-expired')

  await elsewhere.getByLabel('Email', { exact: true }).fill(tom.email)
  await elsewhere.getByLabel('Password', { exact: true }).fill(password)
  await button(elsewhere, 'Sign in').click()
  await heading(elsewhere, 'Home')
  await here.goto('/settings/profile?tab=security')
  await button(here, 'Change').first().click()
  const dialog = here.getByRole('dialog')
  await dialog.getByLabel('Current password', { exact: true }).fill(password)
  await dialog.getByLabel('New password', { exact: true }).fill('Zwiebel-Turm-74-rot')
  const again = dialog.getByLabel('Repeat password', { exact: true })
  if (await again.count()) await again.fill('Zwiebel-Turm-74-rot')
  await here.keyboard.press('Enter')
  await here.waitForURL('**/login?reason=password-changed')
  await elsewhere.waitForURL('**/login?reason=password-changed')
  await leave(here)
  await leave(elsewhere)
})

test('suspending the company sends an open page to /account/inactive until the company is active again', async () => {
  const page = await browserOf(vic.email)
  company.db.run(q.updateTable('partners').set({ status: 'suspended' }))
  // Another process wrote that: the appliance finds out by itself within twenty seconds.
  await page.waitForURL('**/account/inactive')
  await button(page, 'Check again').waitFor()
  company.db.run(q.updateTable('partners').set({ status: 'active' }))
  await button(page, 'Check again').click()
  await heading(page, 'Home')
  await leave(page)
})

test('without a text message provider the challenge explains why no code can be sent', async () => {
  const sms = "mfa_enabled = 1, mfa_method = 'sms', phone_number = '+491701234567', phone_verified = 1"
  company.db.statement(`UPDATE users SET ${sms}, mfa_recovery_codes = '["x"]' WHERE email = ?`).run(bill.email)
  const page = await company.visit()
  await enter(page, bill.email)
  await page.getByText('Text messages can’t be sent at the moment. Use a recovery code').waitFor()
  await look(page, 'challenge-no-texts')
  await leave(page)
})

test('a passkey unknown to the appliance is refused once with a message of its own', async () => {
  const page = await browserOf(ada.email)
  const authenticator = await virtualAuthenticator(page)
  await page.goto('/settings/profile?tab=security')
  await button(page, 'Set up two-factor authentication').click()
  await page.getByRole('button', { name: /^Passkey/ }).click()
  // Cancelling the prompt does not ask for the password again.
  await authenticator.setUserVerified(false)
  await button(page, 'Create passkey').click()
  const check = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await check.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('No passkey was created.').waitFor()
  await look(page, 'passkey-cancelled')
  await authenticator.setUserVerified(true)
  await button(page, 'Try again').click()
  await page.getByLabel('I’ve saved these codes').check()
  expect(await check.count()).toBe(0)

  company.db.run(q.deleteFrom('user_passkeys'))
  company.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('email', '=', ada.email))
  await page.context().clearCookies()
  let refused = 0
  page.on('response', (response) => {
    if (response.url().endsWith('/passkeys/login/verify')) refused++
  })
  // The authenticator answers the suggested request by itself, every time it is made.
  await page.goto('/login')
  await page.getByText('This passkey isn’t known here').waitFor()
  await page.waitForTimeout(1500)
  expect(refused).toBe(1)
  await look(page, 'sign-in-passkey-refused')
  await leave(page)
})

test('no page reports a script error or a content policy violation', () => {
  // The browser logs a refused sign-in like any other failed request.
  const isRefusal = (complaint: string) => complaint.startsWith('ApiError: Access from this address')
  expect(company.complaints.filter((complaint) => !isRefusal(complaint))).toEqual([])
})
