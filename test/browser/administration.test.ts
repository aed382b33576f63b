import { randomUUIDv7 } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthority } from '../../agent/testing/certificates.ts'
import { q } from '../../server/db/query.ts'
import { mailRows } from '../helpers/mail.ts'
import { mailServer, Reply } from '../helpers/mail-server.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enrolPasskey, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { becomeDesktopWindow } from './desktop-window.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'

/** What an administrator manages for everybody: people and their factors, sign-in rules, mail and text messages. */

const tom = { name: 'Tom Technician', email: 'tom@northwind.test', role: 'Partner Technician' }
const mia = { name: 'Mia Manager', email: 'mia@northwind.test' }
const proxied = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8' }
let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany({ ...proxied, OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  await company.hire(tom)
  await company.hire(mia)
  const sms = "mfa_enabled = 1, mfa_method = 'sms', phone_number = '+491701234567', phone_verified = 1"
  company.db.statement(`UPDATE users SET ${sms} WHERE email = ?`).run(tom.email)
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
// Hidden tabs keep their fields.
const field = (label: string, on = page) => on.getByLabel(label, { exact: true }).filter({ visible: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })

test('the list of people shows how each account is protected', async () => {
  await page.getByRole('link', { name: 'People' }).click()
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  await row('Tom Technician').getByText('Texts').waitFor()
  await row('Mia Manager').getByText('None').waitFor()
  await row('Ada Admin').getByText('You', { exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('nobody of this name')
  await button('Clear filters').waitFor()
  await look(page, 'people-no-match')
  await button('Clear filters').click()
  await row('Tom Technician').waitFor()
})

test('resetting a factor asks the administrator for a second factor, which can be set up on the spot', async () => {
  await virtualAuthenticator(page)
  await page.getByRole('link', { name: tom.name }).click()
  await button('Reset second factor…').click()
  await look(page, 'people-reset')
  await dialog(/^Reset the second factor of Tom/)
    .getByRole('button', { name: 'Reset second factor' })
    .click()
  const check = dialog('Set up two-factor authentication')
  await check.getByText('your account has none yet').waitFor()
  await look(page, 'confirm-enroll')
  await enrolPasskey(page)
  await noticeAppears(page, 'Tom Technician’s second factor was reset')
  await check.waitFor({ state: 'hidden' })
  expect(company.db.statement('SELECT mfa_enabled FROM users WHERE email = ?').pluck().get(tom.email)).toBe(0)
})

test('sign-in rules that would lock people out are refused with their number', async () => {
  const app = "mfa_enabled = 1, mfa_method = 'totp', mfa_secret = 'sealed'"
  company.db.statement(`UPDATE users SET ${app} WHERE email = ?`).run(tom.email)
  await openFromSettings(page, 'Company')
  await field('Company name').fill('Northwind & Daughters')
  await page.getByRole('form', { name: 'Company' }).getByRole('button', { name: 'Save' }).click()
  await noticeAppears(page, 'Company saved')
  await page.getByRole('banner').getByText('Northwind & Daughters').waitFor()
  await openFromSettings(page, 'Sign-in and SSO')
  await page.waitForURL('**/settings/sign-in')
  await look(page, 'company')

  const rules = page.locator('form').filter({ hasText: 'Grace period (days)' })
  await field('Authenticator app').uncheck()
  await rules.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 person could no longer sign in').waitFor()
  await look(page, 'company-lock-out')
  await field('Authenticator app').check()
  await field('Grace period (days)').fill('7')
  await rules.getByRole('button', { name: 'Save' }).click()
  await noticeAppears(page, 'Rules saved')
  expect(stored()).toMatchObject({ mfaEnrollmentGraceDays: 7, allowedMfaMethods: { totp: true, sms: true } })

  await rules.getByRole('switch').click()
  await rules.getByRole('button', { name: 'Save' }).click()
  const question = dialog('1 person without a second factor')
  await question.waitFor()
  await question.getByText('Affected: Mia Manager.').waitFor()
  await look(page, 'company-require')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  expect(stored().requireMfa).toBe(false)
  await rules.getByRole('button', { name: 'Discard' }).click()
  expect(await rules.getByRole('switch').isChecked()).toBe(false)
  expect(await rules.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await rules.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
  await rules.getByRole('switch').click()
  await rules.getByRole('button', { name: 'Save' }).click()
  await question.getByRole('button', { name: 'Require it' }).click()
  await expect.poll(() => stored().requireMfa).toBe(true)
  await rules.getByRole('switch').click()
  await rules.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => stored().requireMfa).toBe(false)
})

const stored = () => {
  const settings = company.db.statement('SELECT settings FROM partners').pluck().get() as string
  return (JSON.parse(settings) as { security: Record<string, unknown> }).security
}

test('the allow-list form names invalid entries and warns about the people the list would shut out', async () => {
  const hers = await company.signIn(mia.email, '/settings/sign-in', {
    'x-forwarded-for': '203.0.113.7',
  })
  const list = hers.locator('form').filter({ hasText: 'Allowed addresses' })
  const save = list.getByRole('button', { name: 'Save' })
  await list.getByText('203.0.113.7').waitFor()
  await field('Allowed addresses and networks', hers).fill('10.0.0.0/8\nthe office\n192.168.1.300')
  await save.click()
  await hers.getByText('Not an address or network: the office, 192.168.1.300').waitFor()
  await look(hers, 'company-addresses')
  await field('Allowed addresses and networks', hers).fill('10.0.0.0/8')
  await save.click()
  await hers.getByText('This list locks you out').waitFor()
  await look(hers, 'company-shut-out')
  await button('Cancel', hers).click()
  expect(stored().ipAllowlist).toBe(undefined)
  await company.hire({ name: 'Nia Nightshift', email: 'nia@northwind.test' })
  const elsewhere = await company.signIn('nia@northwind.test', '/', { 'x-forwarded-for': '198.51.100.7' })
  await leave(elsewhere)
  await field('Allowed addresses and networks', hers).fill('10.0.0.0/8\n203.0.113.0/24')
  await save.click()
  await hers.getByText('This list locks 1 person out').waitFor()
  await hers.getByText('198.51.100.7').waitFor()
  await look(hers, 'company-shuts-others-out')
  await button('Save anyway', hers).click()
  await hers.getByText('Active').waitFor()
  await field('Allowed addresses and networks', hers).fill('')
  await save.click()
  await noticeAppears(hers, 'People can work from anywhere')
  await leave(hers)
})

test('a user without the permission to change the rules sees them read-only', async () => {
  company.db
    .statement('UPDATE users SET mfa_enabled = 0, mfa_method = NULL, mfa_reset_at = NULL WHERE email = ?')
    .run(tom.email)
  const his = await company.signIn(tom.email, '/settings/sign-in')
  await his.getByText('Read-only.').waitFor()
  expect(await his.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await his.getByRole('link', { name: 'Messages' }).count()).toBe(0)
  await look(his, 'company-read-only')
  await leave(his)
})

test('without a mail server mail waits and the administrator is warned', async () => {
  // Notices about second factors are not part of this test.
  company.db.statement("DELETE FROM tasks WHERE kind = 'mail.send'").run()
  const asked = await page.request.post('/api/v1/auth/forgot-password', { data: { email: mia.email } })
  expect(asked.status()).toBe(200)
  await expect.poll(() => mailRows(company.db).length).toBe(1)
  await page.goto('/system/mail')
  await page
    .getByRole('row', { name: new RegExp(mia.email) })
    .getByText('Waiting')
    .waitFor()
  await page.getByRole('link', { name: 'Messages 1 email waiting for a mail server' }).waitFor()
  await look(page, 'messages-stranded')
})

test('background tasks show their progress, and failed ones can be dismissed', async () => {
  const at = new Date().toISOString()
  const id = `org-merge-${randomUUIDv7()}`
  const progress = JSON.stringify({ phase: 'moving', movedRows: 1240, totalRows: 4960 })
  const merge = { id, kind: 'organization.merge', input: '{}', progress, attempts: 1, created_at: at }
  company.db.run(
    q
      .insertInto('tasks')
      .values({ ...merge, state: 'active', lease_until: '2999-01-01T00:00:00.000Z', started_at: at }),
  )
  const input = JSON.stringify({ kind: 'registration-attempted', to: 'bo@acme.test', data: { name: 'Bo' } })
  const failed = { state: 'failed', error: '550 5.1.1 Nobody lives here', attempts: 34, finished_at: at } as const
  company.db.run(
    q.insertInto('tasks').values({ id: randomUUIDv7(), kind: 'mail.send', input, ...failed, created_at: at }),
  )
  await page.goto('/system/appliance?tab=jobs')
  await page
    .getByRole('row', { name: /Sends an email/ })
    .getByText('Waiting')
    .waitFor()
  await page
    .getByRole('row', { name: /Merges an organization/ })
    .getByText('1,240 of 4,960')
    .waitFor()
  await look(page, 'tasks')
  await page.getByRole('radiogroup', { name: 'Tasks to show' }).getByText('Failed (1)').click()
  await page.waitForURL('**/system/appliance?tab=jobs&show=failed')
  const row = page.getByRole('row', { name: /Sends an email/ })
  await row.getByText('Gave up after 34 attempts').waitFor()
  await row.getByText('550 5.1.1 Nobody lives here').waitFor()
  await look(page, 'tasks-failed')
  await button('Actions for Sends an email').click()
  await page.getByRole('menuitem', { name: 'Dismiss' }).click()
  await noticeAppears(page, 'Task dismissed')
  await page.getByText('Nothing has failed.').waitFor()
  // The waiting mail to Mia stays.
  company.db.run(q.deleteFrom('tasks').where('state', '!=', 'waiting'))
  await page.goto('/system/mail')
})

test('the page quotes a mail server that refuses, and its mail can be retried or discarded', async () => {
  await using server = await mailServer({
    atRecipient: () => {
      throw new Reply(550, '5.1.1 Nobody lives here')
    },
  })
  await page.getByRole('link', { name: 'Set up mail server' }).click()
  await look(page, 'messages-server')
  await button('Send test email').click()
  await page.getByText('Enter the mail server’s name').waitFor()
  expect(await field('Server').evaluate((input) => input === document.activeElement)).toBe(true)
  await field('Server').fill('127.0.0.1')
  await field('Port').fill(String(server.port))
  await page.getByLabel('Verify certificate').uncheck()
  await field('From').fill('Homeport <box@northwind.test>')
  await button('Send test email').click()
  await page.getByText('The server doesn’t know the recipient.').waitFor()
  await page.getByText('5.1.1 Nobody lives here').waitFor()
  await look(page, 'messages-test-failed')
  await button('Save').click()
  await noticeAppears(page, 'Mail server saved')

  await page.getByRole('tab', { name: 'Outgoing email' }).click()
  const row = page.getByRole('row', { name: new RegExp(mia.email) })
  await row.getByText('Failed').waitFor()
  await row.getByText('5.1.1 Nobody lives here').waitFor()
  await look(page, 'messages-failed')
  await page.getByRole('radiogroup', { name: 'Email to show' }).getByText('Sent').click()
  await page.waitForURL('**/system/mail?status=sent')
  await button('Clear filters').click()
  await button(`Actions for the email to ${mia.email}`).click()
  await page.getByRole('menuitem', { name: 'Retry now' }).click()
  await noticeAppears(page, 'Retrying the email now')
  await row.getByText('Failed').waitFor()
  await button(`Actions for the email to ${mia.email}`).click()
  await page.getByRole('menuitem', { name: 'Discard…' }).click()
  await look(page, 'messages-discard')
  await button('Discard email').click()
  await page.getByText('No recent email').waitFor()
})

test('saving a mail server that answers is confirmed, and one that does not answer is saved with a warning', async () => {
  await using server = await mailServer()
  await page.getByRole('tab', { name: 'Mail server' }).click()
  await field('Port').fill(String(await freePort()))
  await field('Username').fill('box')
  await field('Password').fill('open-sesame')
  await button('Save').click()
  await page.getByText('Saved, but email can’t be sent yet').waitFor()
  await page.getByText('The server can’t be reached').waitFor()
  await page.getByText('Leave empty to keep the current one.').waitFor()
  await field('Port').fill(String(server.port))
  await page.getByText('The saved one is for another server, port or user').waitFor()
  await look(page, 'messages-not-answering')
  await field('Password').fill('open-sesame')
  await button('Save').click()
  await noticeAppears(page, 'Mail server saved')
  await button('Send test email').click()
  await page.getByText('The mail server accepted it').waitFor()
  expect(server.recipients()).toEqual([ada.email])
  await look(page, 'messages-test-sent')
})

test('a provider of text messages is set up and removed', async () => {
  await page.getByRole('tab', { name: 'Text messages' }).click()
  await look(page, 'messages-twilio')
  await field('Account SID').fill(`AC${'0'.repeat(32)}`)
  await field('Auth token').fill('hush')
  await field('Sender').fill('+15550001234')
  await button('Save').click()
  await noticeAppears(page, 'Text messages now go through Twilio')
  await page.getByText('Leave empty to keep the current one.').filter({ visible: true }).waitFor()

  await page.getByText('Other gateway').click()
  await field('Address').fill('http://sms.example.com')
  await field('Request body').fill('{"to": "{{to}}", "message": {{text}}}')
  await button('Save').click()
  await page.getByText('Enter an https address').waitFor()
  await field('Address').fill('https://sms.example.com/send')
  await button('Save').click()
  await page.getByText('must be valid JSON').waitFor()
  await look(page, 'messages-gateway')
  await button('Use the example').click()
  await field('Header name').fill('Authorization')
  await field('Header value').fill('Bearer hush')
  await button('Save').click()
  await noticeAppears(page, 'Text messages now go through the gateway')
  await button('Remove…').click()
  await button('Remove the provider').click()
  await page.getByText('No provider is set').waitFor()
})

test('with a passkey as the only factor, the passkey or the password turns the second factor off', async () => {
  await page.goto('/settings/profile?tab=security')
  await button('Turn off…').click()
  await field('Your password').fill('Wrong1Horse')
  await page.getByText('Leave empty to confirm with your passkey.').waitFor()
  await button('Turn off').click()
  await page.getByText('Wrong password').waitFor()
  await field('Your password').fill(password)
  await button('Turn off').click()
  await noticeAppears(page, 'Two-factor authentication is off')
  await button('Set up two-factor authentication').waitFor()
})

test('a public address is chosen, refused where only the appliance can open it, and left to the appliance again', async () => {
  await page.goto('/system/appliance')
  await page.getByText('It’s chosen automatically.').waitFor()
  await page.getByText('work only on the appliance itself').waitFor()
  await button('Change public address…').click()
  const form = page.getByRole('dialog', { name: 'Public address' })
  const address = form.getByLabel('Address', { exact: true })
  const save = form.getByRole('button', { name: 'Save' })
  await address.fill('https://localhost:8443')
  await save.click()
  await page.getByText('that other machines can open').first().waitFor()
  await address.fill('https://homeport.example.com/')
  await look(page, 'appliance-public-address')
  await save.click()
  await noticeAppears(page, 'Public address changed')
  await page.getByText('Links in email and single sign-on use https://homeport.example.com.').waitFor()
  await look(page, 'appliance-addresses')
  expect(await page.getByText('work only on the appliance itself').count()).toBe(0)
  await button('Change public address…').click()
  await button('Choose automatically').click()
  await page.getByText('It’s chosen automatically.').waitFor()
})

test('registration is closed and opened again, and what keeps it from being offered is said', async () => {
  const offered = async () => {
    const { registration } = (await (await fetch(`${company.origin}/api/v1/config`)).json()) as {
      registration: { enabled: boolean }
    }
    return registration.enabled
  }
  expect(await offered()).toBe(true)
  const panel = page.getByRole('form', { name: 'Registration' })
  await panel.getByLabel('No, only people I invite').check()
  await panel.getByRole('button', { name: 'Save' }).click()
  await noticeAppears(page, 'Registration saved')
  expect(await offered()).toBe(false)
  await panel.getByLabel('Yes, anyone who can open the sign-in page').check()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect.poll(offered).toBe(true)
  await look(page, 'appliance-registration')
})

test('a browser only explains how to list an identity provider of the local network', async () => {
  await page.goto('/system/appliance')
  await page.getByRole('heading', { name: 'Identity providers in your network' }).waitFor()
  await page.getByText('npm run admin -- check').waitFor()
  await look(page, 'appliance-trust')
  expect(await button('Add one').count()).toBe(0)
})

test('in the desktop window an identity provider of the local network is listed with its certificate authority', async () => {
  const person = { consents: false, chooses: join(company.dataDir, 'corp-root.crt') }
  const authority = await createAuthority('Corp Root CA')
  writeFileSync(person.chooses, authority.pem)
  await becomeDesktopWindow(page, company.dataDir, person)
  await page.reload()
  await page.getByText('None listed').waitFor()
  await button('Add one').click()
  await field('Host').fill('https://idp.corp.lan')
  await field('Allowed addresses').fill('10.0.0.0/8')
  await button('Save…').click()
  await page.getByText('Enter only the name').waitFor()
  await field('Host').fill('idp.corp.lan')
  await button('Save…').click()
  await page.getByText('"10.0.0.0/8" is too wide').waitFor()
  await field('Allowed addresses').press('Backspace')
  await field('Allowed addresses').fill('10.20.0.15')
  await button('Choose a certificate…').click()
  await page.getByText(/^corp-root-ca, until/).waitFor()
  await page.getByLabel('Only some', { exact: true }).check()
  await page.getByRole('combobox', { name: 'Used only by' }).fill('Company')
  await chooseOption(page.getByRole('option', { name: 'Company-wide sign-in' }))
  await page.keyboard.press('Tab')
  await look(page, 'appliance-trust-form')
  await button('Save…').click()
  person.consents = true
  await button('Save…').click()
  await noticeAppears(page, 'Saved. The server is restarting.')
  await page.getByText('Trusted authority: CN=Corp Root CA').waitFor()
  await page.getByText('Only for company-wide sign-in').waitFor()
  await look(page, 'appliance-trust-listed')
  expect(JSON.parse(readFileSync(join(company.dataDir, 'sso-trust.json'), 'utf8')).hosts).toEqual([
    {
      host: 'idp.corp.lan',
      port: 443,
      addresses: ['10.20.0.15/32'],
      ca: ['corp-root-ca'],
      alsoPublicRoots: false,
      owners: ['partner'],
    },
  ])
  await button('Actions for idp.corp.lan').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByText('None listed').waitFor()
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
