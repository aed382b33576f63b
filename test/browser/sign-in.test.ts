import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { generateSync } from 'otplib'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Appliance } from '../../server/appliance.ts'
import type { MailKind } from '../../server/features/messaging/index.ts'
import { login } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup, phoneConfirm, phoneVerify, smsEnable } from '../../shared/api/mfa.ts'
import { updateOwnPartner } from '../../shared/api/partners.ts'
import { updateMe } from '../../shared/api/profile.ts'
import { registerPartner, verifyEmail } from '../../shared/api/registration.ts'
import type { Endpoint, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { sharedBrowser } from '../helpers/chromium.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { linkIn, writtenMails } from '../helpers/mail.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { openContext } from './context.ts'
import { look } from './look.ts'
import { isHome } from './navigation.ts'

/** Everything before and around the sign-in, in a real Chromium on a real appliance that writes its mail to files. */

const dataDir = mkdtempSync(join(tmpdir(), 'homeport-door-'))
const secret = 'Zwiebel-Turm-74-rot'
const nextSecret = 'Neues-Boot-19-blau'
const complaints: string[] = []
let gateway: Awaited<ReturnType<typeof smsGateway>>
let authenticator: Awaited<ReturnType<typeof virtualAuthenticator>>
let env: Record<string, string>
let server: Appliance
let context: BrowserContext
let page: Page
let origin: string

beforeAll(async () => {
  gateway = await smsGateway()
  const wide = Object.fromEntries(
    ['GLOBAL', 'LOGIN_IP', 'LOGIN_EMAIL', 'REGISTER_PARTNER', 'VERIFY_EMAIL'].map((name) => [
      `HOMEPORT_LIMIT_${name}`,
      '0/60',
    ]),
  )
  env = {
    ...wide,
    ...gateway.env,
    HOMEPORT_PORT: String(await freePort()),
    EMAIL_PROVIDER: 'file',
    MFA_FORCE_FOR_PARTNER_ADMIN: 'true',
    BOOTSTRAP_ADMIN_EMAIL: 'root@appliance.test',
    BOOTSTRAP_ADMIN_PASSWORD: 'Unbekannte-Wolke-58-gelb',
  }
  server = await serveHere(dataDir, env)
  origin = `http://localhost:${server.port}`
  context = await openContext(await sharedBrowser(), { baseURL: origin })
  page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  authenticator = await virtualAuthenticator(page)
  await authenticator.setUserPresent(false)
})

afterAll(async () => {
  await context?.close()
  await server?.stop()
  await gateway?.[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

const button = (name: string | RegExp) => page.getByRole('button', { name })
const link = (name: string | RegExp) => page.getByRole('link', { name })
const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const field = (label: string) => page.getByLabel(label, { exact: true })
const focused = () =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.tagName)

async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, token?: string): Promise<ReplyOf<E>> {
  const response = await fetch(`${origin}/api/v1${endpoint.path}`, {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify((input as { body?: unknown }).body ?? {}),
  })
  if (!response.ok) throw new Error(`${endpoint.name}: ${response.status} ${await response.text()}`)
  return (await response.json()) as ReplyOf<E>
}

/** The path and query of the link in the newest mail of a kind. */
async function mailedPath(kind: MailKind, to: string): Promise<string> {
  const find = () => writtenMails(dataDir).findLast((mail) => mail.kind === kind && mail.to === to)
  await expect.poll(find).toBeDefined()
  const { pathname, search } = linkIn(find() as NonNullable<ReturnType<typeof find>>)
  return pathname + search
}

/** Registers a company with one administrator by its link; returns the access token. */
async function registered(name: string, email: string): Promise<string> {
  const body = { companyName: `${name} Ltd`, name, email, password: secret, acceptTerms: true } as const
  await call(registerPartner, { body })
  const path = await mailedPath('verify-registration', email)
  const reply = await call(verifyEmail, { body: { token: new URLSearchParams(path.split('?')[1]).get('token') ?? '' } })
  if (reply.purpose !== 'registration') throw new Error(reply.purpose)
  return reply.tokens.accessToken
}

/** Enrols an app with the code of the next step, because the current one may be used up. */
async function withApp(token: string): Promise<{ recoveryCodes: string[]; nextCode: () => string }> {
  const setup = await call(mfaSetup, { body: {} }, token)
  const codeAt = (secondsAhead: number) =>
    generateSync({ secret: setup.secret, epoch: Math.floor(Date.now() / 1000) + secondsAhead })
  await call(mfaEnable, { body: { code: codeAt(0) } }, token)
  return { recoveryCodes: setup.recoveryCodes, nextCode: () => codeAt(30) }
}

async function enterPassword(email: string, password = secret, base = origin) {
  await page.context().clearCookies()
  await page.goto(`${base}/login`)
  await field('Email').fill(email)
  await field('Password').fill(password)
  await button(/^Sign in$/).click()
}

async function signOut(name: string) {
  await button(new RegExp(name)).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login?reason=signed-out')
}

test('a company registers: form, mail, link, and its console opens', async () => {
  await page.goto('/login')
  await look(page, 'sign-in')
  await link('Register your company').click()
  await expect.poll(() => page.title()).toBe('Register your company · Homeport')
  await field('Company').fill('Fabrikam')
  await field('Your name').fill('Bea Builder')
  await field('Email').fill('bea@fabrikam.test')
  await field('Password').fill('Password1')
  await page.getByText(/common words/).waitFor()
  await look(page, 'register-weak-password')
  await field('Repeat password').fill('Password2')
  await button('Register').click()
  await page.getByText('The passwords don’t match').waitFor()
  await field('Repeat password').fill('Password1')
  await page.getByRole('checkbox').check()
  // The server refuses what the meter warned about, and the input stays.
  await button('Register').click()
  await expect.poll(() => field('Password').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByText(/common words/).count()).toBe(1)
  await field('Password').fill(secret)
  await field('Repeat password').fill(secret)
  await button('Register').click()
  await heading('Ask for your link')
  await look(page, 'register-done')

  const path = await mailedPath('verify-registration', 'bea@fabrikam.test')
  await page.goto(path)
  await heading('Welcome, Bea Builder')
  expect(page.url()).toBe(`${origin}/auth/verify-email`)
  await look(page, 'verified-registration')
  await link('Open Homeport').click()
  await page.waitForURL(isHome)
  await page.getByText(/requires a second factor. Set one up by/).waitFor()
  await look(page, 'notice-second-factor')
  await page.goto(path)
  await heading('You’re already signed in')
  await button('Continue').click()
  await heading('This link no longer works')
  await look(page, 'verify-dead-link')
})

test('once the company requires a second factor, every page leads to its set-up', async () => {
  const reply = await call(login, { body: { email: 'bea@fabrikam.test', password: secret } })
  await page.goto('/organizations')
  await heading('Organizations')
  await call(updateOwnPartner, { body: { settings: { security: { requireMfa: true } } } }, reply.tokens?.accessToken)
  // The live stream may have taken the page there already.
  await page.goto('/devices')
  await page.waitForURL('**/auth/mfa/setup?forced=1&next=*')
  await heading('Set up two-factor authentication')
  await page.getByText(/Fabrikam requires a second factor/).waitFor()
  await look(page, 'forced-enrolment')
  await authenticator.setUserPresent(true)
  await button(/^Passkey/).click()
  await look(page, 'forced-enrolment-passkey')
  await button('Create passkey').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox').check()
  await button('Continue').click()
  await page.waitForURL('**/devices')
  await authenticator.setUserPresent(false)
  await signOut('Bea Builder')
  await look(page, 'signed-out')
})

test('a passkey signs in alone, by the button and from the suggestions of the e-mail field', async () => {
  await page.goto('/login?next=/enrollment-keys')
  await button('Sign in with a passkey').waitFor()
  // Nobody uses the authenticator: the page only suggests it, and the password still works.
  expect(new URL(page.url()).pathname).toBe('/login')
  await authenticator.setUserPresent(true)
  await button('Sign in with a passkey').click()
  await page.waitForURL((url) => url.pathname === '/enrollment-keys')
  await authenticator.setUserPresent(false)
  await signOut('Bea Builder')

  await link('Forgot your password?').click()
  await heading('Forgot your password?')
  await authenticator.setUserPresent(true)
  // The suggestion of the page before is withdrawn without a trace.
  await page.waitForTimeout(500)
  expect(new URL(page.url()).pathname).toBe('/forgot-password')
  await link('Back to sign-in').click()
  await page.waitForURL(isHome)
  await authenticator.setUserPresent(false)
  await signOut('Bea Builder')
})

test('the passkey answers the challenge after the password', async () => {
  await enterPassword('bea@fabrikam.test')
  await heading('Confirm it’s you')
  await look(page, 'challenge-passkey')
  await authenticator.setUserVerified(false)
  await authenticator.setUserPresent(true)
  await button('Use a passkey').click()
  await page.getByText('No passkey was used.').waitFor()
  await authenticator.setUserVerified(true)
  await button('Use a passkey').click()
  await page.waitForURL(isHome)
  await authenticator.setUserPresent(false)
  await signOut('Bea Builder')
})

test('at another address of the appliance no passkey is offered, and the page names the address where it works', async () => {
  const other = `http://127.0.0.1:${server.port}`
  await enterPassword('bea@fabrikam.test', secret, other)
  await field('Recovery code').waitFor()
  expect(await button('Use a passkey').count()).toBe(0)
  await look(page, 'challenge-elsewhere')
  await link('localhost').click()
  await page.waitForURL(`${origin}/login`)
})

test('with password and app, wrong input is cleared and the next can be typed at once', async () => {
  const app = await withApp(await registered('Carl Coder', 'carl@contoso.test'))
  await enterPassword('carl@contoso.test', 'Wrong1Horse')
  await page.getByText('Wrong email or password.').waitFor()
  expect(await field('Password').inputValue()).toBe('')
  expect(await focused()).toBe('password')
  // A password that did not reach the server stays in the field.
  await page.route('**/auth/login', (route) => route.abort())
  await page.keyboard.type(secret)
  await page.keyboard.press('Enter')
  await page.getByText(/Homeport isn’t responding/).waitFor()
  expect(await field('Password').inputValue()).toBe(secret)
  await page.unroute('**/auth/login')
  await field('Password').focus()
  await page.keyboard.press('Enter')
  await heading('Confirm it’s you')
  expect(await focused()).toBe('code')
  await look(page, 'challenge-app')
  await page.keyboard.type('000000')
  await page.getByText(/Wrong code/).waitFor()
  expect(await field('Six-digit code').inputValue()).toBe('')
  expect(await focused()).toBe('code')
  // Pasted from an app that groups the digits.
  const code = app.nextCode()
  await field('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.waitForURL(isHome)
  await signOut('Carl Coder')

  await enterPassword('carl@contoso.test')
  await button('Use a recovery code').click()
  await look(page, 'challenge-recovery')
  await page.keyboard.type(`${app.recoveryCodes[0]?.toLowerCase()}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(isHome)
  await page.getByText('You used a recovery code. 9 are left.').waitFor()
  await look(page, 'notice-recovery-code')
  await button('Close this notice').click()
  await expect.poll(() => page.getByText('You used a recovery code').count()).toBe(0)
  await signOut('Carl Coder')
  await enterPassword('carl@contoso.test')
  await button('Use a recovery code').click()
  await page.keyboard.type(`${app.recoveryCodes[0]}`)
  await page.keyboard.press('Enter')
  await page.getByText(/Wrong code/).waitFor()
  await button('Back to password').click()
  await heading('Sign in')
})

test('an expired challenge leads back to the password with a message', async () => {
  await enterPassword('carl@contoso.test')
  await heading('Confirm it’s you')
  await page.route('**/auth/mfa/verify', (route) =>
    route.fulfill({
      status: 401,
      json: { error: 'The sign-in has expired; start again', code: 'mfa_challenge_expired' },
    }),
  )
  await page.keyboard.type('123456')
  await page.getByText('That took too long. Start over with your password.').waitFor()
  await page.unroute('**/auth/mfa/verify')
  expect(await field('Email').inputValue()).toBe('carl@contoso.test')
  expect(await focused()).toBe('password')
})

test('"Back" leads from the code to the password, "Forward" to the code, a reload to the password with a message', async () => {
  await enterPassword('carl@contoso.test')
  await heading('Confirm it’s you')
  await page.goBack()
  await heading('Sign in')
  expect(await field('Email').inputValue()).toBe('carl@contoso.test')
  expect(await focused()).toBe('password')
  await page.goForward()
  await heading('Confirm it’s you')
  await page.reload()
  await heading('Sign in')
  await page.getByText('sign-in starts over').waitFor()
  expect([await field('Email').inputValue(), page.url()]).toEqual(['carl@contoso.test', `${origin}/login`])
  await look(page, 'challenge-reloaded')
  await page.keyboard.type(secret)
  await page.keyboard.press('Enter')
  await heading('Confirm it’s you')
  await button('Back to password').click()
  await heading('Sign in')
  expect(await page.getByText('sign-in starts over').count()).toBe(0)
})

test('a code by text message is requested, sent, and sent again after a while', async () => {
  const phone = '+491701234567'
  const token = await registered('Dora Dialer', 'dora@tailspin.test')
  await call(phoneVerify, { body: { phoneNumber: phone } }, token)
  await call(phoneConfirm, { body: { phoneNumber: phone, code: gateway.codeTo(phone) } }, token)
  await call(smsEnable, { body: {} }, token)
  const sentBefore = gateway.messages.length
  await enterPassword('dora@tailspin.test')
  await page.getByText('We’ll text a code to the phone number ending in 4567.').waitFor()
  expect(gateway.messages.length).toBe(sentBefore)
  await page.keyboard.press('Enter')
  await page.getByText('A code').waitFor()
  expect(await button(/Send again in \d+ s/).isDisabled()).toBe(true)
  await look(page, 'challenge-text-message')
  expect(await focused()).toBe('code')
  await page.keyboard.type(gateway.codeTo(phone))
  await page.waitForURL(isHome)
  await signOut('Dora Dialer')
})

test('the links of an address change and of a registration whose address has an account by now', async () => {
  const token = await registered('Emil Editor', 'emil@wingtip.test')
  const request = { companyName: 'Wingtip', name: 'Frida', email: 'frida@wingtip.test', password: secret } as const
  await call(registerPartner, { body: { ...request, acceptTerms: true } })
  const late = await mailedPath('verify-registration', 'frida@wingtip.test')

  await call(updateMe, { body: { email: 'frida@wingtip.test', currentPassword: secret } }, token)
  await page.goto(await mailedPath('verify-email-change', 'frida@wingtip.test'))
  await heading('Email address changed')
  await look(page, 'verified-address-change')
  await link('Sign in').click()
  await page.getByText('Your email address was changed. Sign in with the new one.').waitFor()

  await page.goto(late)
  await heading('You already have an account')
  await look(page, 'verified-existing-account')
})

test('a forgotten password is reset by the mailed link', async () => {
  await page.goto('/login')
  await field('Email').fill('carl@contoso.test')
  await link('Forgot your password?').click()
  await heading('Forgot your password?')
  expect([await field('Email').inputValue(), page.url()]).toEqual(['carl@contoso.test', `${origin}/forgot-password`])
  await look(page, 'forgot-password')
  await page.getByText('This appliance writes email to files instead of sending it.').waitFor()
  await button('Request link').click()
  await heading('Ask for your link')
  expect(await page.getByText(/we(’ve)? sent/i).count()).toBe(0)
  await look(page, 'forgot-password-sent')
  const path = await mailedPath('password-reset', 'carl@contoso.test')
  await page.goto(path)
  await heading('Choose a new password')
  expect(page.url()).toBe(`${origin}/reset-password`)
  await field('New password').fill('Contoso-2026-Carl')
  await page.getByText('Very weak.').waitFor()
  await field('New password').fill(nextSecret)
  await page.getByText('Strong.').waitFor()
  await look(page, 'reset-password')
  await field('Repeat password').fill(nextSecret)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/login?reason=password-changed')
  await expect.poll(() => field('Email').inputValue()).toBe('carl@contoso.test')
  await look(page, 'password-changed')
  await page.goto(path)
  await heading('This link no longer works')
  await look(page, 'reset-dead-link')
  await link('Get a new link').click()
  await heading('Forgot your password?')
})

test('a locked account shows the same message as a wrong password', async () => {
  await enterPassword('carl@contoso.test', 'Wrong1Horse')
  for (let tries = 1; tries < 6; tries++) {
    await page.getByText('Wrong email or password.').waitFor()
    await field('Password').fill(tries < 5 ? `Wrong${tries}Horse` : nextSecret)
    await Promise.all([page.waitForResponse('**/auth/login'), button(/^Sign in$/).click()])
  }
  await expect.poll(() => field('Password').inputValue()).toBe('')
  const words = await page.getByRole('alert').innerText()
  expect(words).toMatch(/^Wrong email or password\.\s+Too many failed attempts lock the account/)
  await look(page, 'sign-in-refused')
  await enterPassword('nobody@contoso.test')
  await page.getByText('Wrong email or password.').waitFor()
  expect(await page.getByRole('alert').innerText()).toBe(words)
  await link('Reset your password').click()
  await heading('Forgot your password?')
  expect(await field('Email').inputValue()).toBe('nobody@contoso.test')
  const path = await mailedPath('account-locked', 'carl@contoso.test')
  expect(path).toMatch(/^\/reset-password\?token=/)
})

test('the mailed link unlocks a locked account by its button, and works once', async () => {
  const mail = writtenMails(dataDir).findLast(({ kind }) => kind === 'account-locked')
  const path = /\/unlock-account\?token=\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  // As a mail scanner opens it.
  expect((await fetch(origin + path)).status).toBe(200)
  await page.goto(path)
  await heading('Unlock your account')
  await page.getByText('carl@contoso.test').waitFor()
  expect(page.url(), 'the token stays in no history').toBe(`${origin}/unlock-account`)
  await look(page, 'unlock-account')
  await button('Unlock account').click()
  await heading('Your account is unlocked')
  await look(page, 'unlock-account-done')
  await link('Sign in').click()
  await expect.poll(() => field('Email').inputValue()).toBe('carl@contoso.test')
  await field('Password').fill(nextSecret)
  await button(/^Sign in$/).click()
  await heading('Confirm it’s you')
  await page.goto(path)
  await heading('This link no longer works')
  await look(page, 'unlock-dead-link')
})

test('an inactive company gets a single page, with the message and the link that the operator set', async () => {
  await server.stop()
  const db = new BetterSqlite(join(dataDir, 'homeport.db'))
  const settings = {
    statusMessage: 'Your trial has ended.\nYour devices are safe, and they wait for you.',
    statusActionUrl: 'https://billing.test/fabrikam',
    statusActionLabel: 'Choose a plan',
  }
  db.prepare(
    `UPDATE partners SET status = 'pending', settings = json_patch(settings, ?) WHERE name = 'Dora Dialer Ltd'`,
  ).run(JSON.stringify(settings))
  db.prepare(`UPDATE users SET email_verified_at = NULL WHERE email = 'frida@wingtip.test'`).run()
  db.close()
  server = await serveHere(dataDir, { ...env, PUBLIC_ENABLE_REGISTRATION: 'false' })
  const token = gateway.messages.length
  await enterPassword('dora@tailspin.test')
  await button('Send code').click()
  await expect.poll(() => gateway.messages.length).toBe(token + 1)
  await field('Six-digit code').fill(gateway.codeTo('+491701234567'))
  await page.waitForURL('**/account/inactive')
  await page.getByText('Your trial has ended.').waitFor()
  expect(await link('Choose a plan').getAttribute('href')).toBe('https://billing.test/fabrikam')
  await look(page, 'account-inactive')
  await page.goto('/devices')
  await page.waitForURL('**/account/inactive')
  await button('Sign out').click()
  await page.waitForURL('**/login?reason=signed-out')
})

test('with registration off, its page leads to the sign-in and says so', async () => {
  await page.goto('/register-partner')
  await page.waitForURL('**/login?reason=registration-disabled')
  await page.getByText(/doesn’t accept registrations/).waitFor()
  expect(await link('Register your company').count()).toBe(0)
})

test('an unconfirmed address is announced on every page until its link is followed', async () => {
  await enterPassword('frida@wingtip.test')
  await page.getByText('Confirm that frida@wingtip.test is yours').waitFor()
  await button('Request link').click()
  await page.getByText('The link was written to a file on the appliance.').waitFor()
  await button(/Request link in \d+ s/).waitFor()
  await look(page, 'notice-address')
  await page.goto(await mailedPath('verify-address', 'frida@wingtip.test'))
  await button('Continue').click()
  await heading('Email address confirmed')
  await link('Open Homeport').click()
  await heading('Home')
  expect(await page.getByText('Confirm that').count()).toBe(0)
  await link('Set up').click()
  await heading('Set up two-factor authentication')
  await button('Not now').click()
  await heading('Home')
})

test('a 403 PARTNER_INACTIVE from any call leads to the page of inactive companies, without further requests', async () => {
  const refusal = { error: 'Account inactive', code: 'PARTNER_INACTIVE', status: 'suspended', message: null }
  await button('Settings').click()
  let asked = 0
  await page.route('**/api/v1/**', (route) => {
    asked++
    return route.fulfill({ status: 403, json: { ...refusal, actionUrl: 'javascript:alert(1)', actionLabel: 'Click' } })
  })
  // A page whose data is not cached, so that it has to ask.
  await link('Enrollment keys').click()
  await page.waitForURL('**/account/inactive')
  await page.getByText(/Your company is suspended/).waitFor()
  // A link that is neither http nor https is not shown, and the page stops asking.
  expect(await page.getByText('Click').count()).toBe(0)
  await page.waitForTimeout(500)
  expect(asked).toBeLessThan(10)
  await page.unroute('**/api/v1/**')
  await button('Check again').click()
  await page.waitForURL(isHome)
})

test('no page reports a script error or a content policy violation', () => {
  expect(complaints).toEqual([])
})
