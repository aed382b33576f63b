import { readFileSync } from 'node:fs'
import { generateSync } from 'otplib'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailToFiles, tokenIn, writtenMails } from '../helpers/mail.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { atLength } from '../helpers/thorough.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, enter, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { isHome } from './navigation.ts'
import { noticeAppears } from './notices.ts'

/** One's own account: name, address, factors, recovery codes, sessions and password. */

const tom = { name: 'Tom Technician', email: 'tom@northwind.test', phone: '+491701234567' }
let gateway: Awaited<ReturnType<typeof smsGateway>>
let company: Company
let page: Page

beforeAll(async () => {
  gateway = await smsGateway()
  company = await startCompany({ ...mailToFiles, ...gateway.env })
  await company.hire(tom)
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const field = (label: string, on = page) => on.getByLabel(label, { exact: true })
const dialog = (name: string | RegExp, on = page) => on.getByRole('dialog', { name })
const security = async (on = page) => {
  await on.goto('/settings/profile?tab=security')
  await on.getByRole('heading', { name: 'Second factors' }).waitFor()
}

test('name and preferences are saved with the account', async () => {
  await page.goto('/settings/profile')
  await field('Your name').fill('Ada Lovelace')
  await look(page, 'profile')
  await button('Save').click()
  await noticeAppears(page, 'Name saved')
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor()

  await page.getByRole('radiogroup', { name: 'Time format' }).getByText('17:30').click()
  await page.getByRole('radiogroup', { name: 'Color scheme' }).getByText('Dark').click()
  await expect
    .poll(() => company.db.statement("SELECT preferences FROM users WHERE email LIKE 'ada%'").pluck().get())
    .toMatch(/(?=.*"timeFormat":"24h")(?=.*"theme":"dark")/)
  const elsewhere = await company.signIn(ada.email)
  await expect.poll(() => elsewhere.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
  await leave(elsewhere)
  await page.getByRole('radiogroup', { name: 'Color scheme' }).getByText('System').click()
})

test('every session is listed, and the others can be ended', async () => {
  const second = await company.signIn(ada.email)
  const third = await company.signIn(ada.email)
  await page.goto('/settings/profile?tab=sessions')
  const rows = page.getByRole('table').getByRole('row')
  // The header row, the session that set the appliance up, and the one of the test before.
  await expect.poll(() => rows.count()).toBe(6)
  await rows.filter({ hasText: 'This session' }).getByText('Chrome on Linux').waitFor()
  await look(page, 'profile-sessions')
  await rows
    .filter({ hasNotText: 'This session' })
    .getByRole('button', { name: /^End the session/ })
    .first()
    .click()
  await expect.poll(() => rows.count()).toBe(5)
  await button('End all other sessions').click()
  await look(page, 'profile-sessions-end')
  await button('End other sessions').click()
  await noticeAppears(page, '3 sessions ended')
  await expect.poll(() => rows.count()).toBe(2)
  for (const other of [second, third]) {
    await other.goto('/organizations')
    await other.waitForURL('**/login**')
    await leave(other)
  }
})

let secret = ''

test('an authenticator app is enrolled, and a reload does not lose its recovery codes', async () => {
  await page.goto('/settings/profile?tab=sessions')
  await page.getByRole('tab', { name: 'Security' }).click()
  await page.getByRole('heading', { name: 'Second factors' }).waitFor()
  await look(page, 'profile-security-off')
  await button('Set up two-factor authentication').click()
  const adding = dialog('Set up two-factor authentication')
  await adding.getByRole('button', { name: /^Authenticator app/ }).waitFor()
  await look(page, 'factor-chooser')
  await adding.getByRole('button', { name: /^Authenticator app/ }).click()
  const shown = adding.locator('text=/^([A-Z2-7]{4} ){4,}/')
  secret = (await shown.innerText()).replaceAll(' ', '')
  await look(page, 'factor-app')
  // The code of the step before, which stays valid during this step; the later ones stay unused.
  const leftMs = 30_000 - (Date.now() % 30_000)
  if (leftMs < 20_000) await page.waitForTimeout(leftMs)
  await field('Six-digit code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1000) - 30 }))
  await adding.getByRole('list', { name: 'Recovery codes' }).waitFor()
  expect(await adding.getByRole('listitem').count()).toBe(10)
  await look(page, 'recovery-codes')
  // Only the button below closes the codes: no key, no click beside, no back, no reload without a question.
  expect(await adding.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.evaluate(() => history.back())
  await page.waitForTimeout(500)
  expect(new URL(page.url()).search).toBe('?tab=security')
  await expect(asksBeforeReload()).resolves.toBe(true)
  expect(await adding.getByRole('button', { name: 'Continue' }).getAttribute('aria-disabled')).toBe('true')
  await adding.getByRole('list', { name: 'Recovery codes' }).waitFor()
  const sheet = await downloaded(adding.getByRole('button', { name: 'Download' }))
  for (const line of [`Account:   ${ada.email}`, `Appliance: ${new URL(page.url()).origin}`, 'Made:'])
    expect(sheet).toContain(line)
  for (const code of await adding.getByRole('listitem').allInnerTexts()) expect(sheet).toContain(code)
  await page.emulateMedia({ media: 'print' })
  expect((await page.locator('body').innerText()).trim()).toBe(sheet.trim())
  await page.emulateMedia({ media: 'screen' })
  await adding.getByLabel('I’ve saved these codes').check()
  await adding.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('list', { name: 'Second factors' }).getByText('Authenticator app').waitFor()
})

async function downloaded(link: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFileSync(await download.path(), 'utf8')
}

async function asksBeforeReload(): Promise<boolean> {
  const asked = page.waitForEvent('dialog')
  const reload = page.reload({ timeout: 5000 }).catch(() => {})
  const question = await asked
  await question.dismiss()
  await reload
  return question.type() === 'beforeunload'
}

test('a passkey is added after the password, and listed with the host where it works', async () => {
  const authenticator = await virtualAuthenticator(page)
  await button('Add another').click()
  const adding = dialog('Another second factor')
  await adding.getByRole('button', { name: /^Passkey/ }).click()
  expect(await field('Name of the passkey').inputValue()).toBe('Chrome on Linux')
  await look(page, 'factor-passkey')
  await field('Name of the passkey').fill('Laptop')
  company.age()
  await button('Create passkey').click()
  const check = dialog('Confirm it’s you')
  await check.getByLabel('Password', { exact: true }).fill('Wrong1Horse')
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByText('Wrong password').waitFor()
  await look(page, 'confirm-password')
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByText('from your authenticator app').waitFor()
  await check.getByLabel('Six-digit code').fill(generateSync({ secret }))
  const factors = page.getByRole('list', { name: 'Second factors' })
  await factors.getByText('Laptop').waitFor()
  await factors.getByText('Passkey for localhost').waitFor()
  await check.waitFor({ state: 'hidden' })
  expect(await authenticator.credentialIds()).toHaveLength(1)
  await look(page, 'profile-security')
})

test('a cancelled passkey changes nothing and says so', async () => {
  await button('Add another').click()
  const adding = dialog('Another second factor')
  await adding.getByRole('button', { name: /^Passkey/ }).click()
  await button('Create passkey').click()
  // Escape leaves only the upper dialog.
  await field('Password').waitFor()
  await page.keyboard.press('Escape')
  await dialog('Confirm it’s you').waitFor({ state: 'hidden' })
  await adding.getByText('Enter your password to continue').waitFor()
  await button('Try again').click()
  await dialog('Confirm it’s you').getByLabel('Password', { exact: true }).fill(password)
  await button('Continue').click()
  await adding.getByText('This device already has a passkey for your account.').waitFor()
  await adding.getByRole('button', { name: 'Close' }).click()
})

test('a cancelled identity check is refused, and one passed by passkey continues', async () => {
  company.age()
  await button('Create new codes').click()
  const question = dialog('Create new recovery codes?')
  await question.getByRole('button', { name: 'Create new codes' }).click()
  const check = dialog('Confirm it’s you')
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByRole('button', { name: 'Use a passkey' }).waitFor()
  await look(page, 'step-up')
  await page.keyboard.press('Escape')
  await question.getByRole('alert').getByText('No new codes were created').waitFor()
  await question.getByRole('button', { name: 'Create new codes' }).click()
  await check.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('These are your new recovery codes').waitFor()
  await page.getByLabel('I’ve saved these codes').check()
  await button('Continue').click()
})

test('a passkey is renamed and deleted', async () => {
  await button('Actions for Laptop').click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await field('Name').fill('Old laptop')
  await button('Save').click()
  await page.getByText('Old laptop').waitFor()
  await button('Actions for Old laptop').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await field('Your password').fill(password)
  await look(page, 'passkey-delete')
  await button('Delete passkey').click()
  await noticeAppears(page, 'Old laptop was deleted')
  await expect.poll(() => page.getByText('Passkey for localhost').count()).toBe(0)
})

test('the authenticator app moves to another phone, after a code of the old one', async () => {
  company.age()
  await button('Replace').click()
  const moving = dialog('Replace the authenticator app')
  const check = dialog('Confirm it’s you')
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByLabel('Six-digit code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 }))
  const shown = moving.locator('text=/^([A-Z2-7]{4} ){4,}/')
  const next = (await shown.innerText()).replaceAll(' ', '')
  expect(next).not.toBe(secret)
  await look(page, 'factor-replace')
  await moving.getByLabel('Six-digit code').fill('000000')
  await moving.getByText('Wrong code').waitFor()
  await moving.getByLabel('Six-digit code').fill(generateSync({ secret: next }))
  await moving.getByText('These are your new recovery codes').waitFor()
  await expect.poll(() => focused(page)).toBe('Copy')
  await look(page, 'recovery-codes-renewed')
  await moving.getByLabel('I’ve saved these codes').check()
  await moving.getByRole('button', { name: 'Continue' }).click()
  await noticeAppears(page, 'Authenticator app replaced')
  await expect.poll(() => focused(page)).toBe('Replace')
})

test('switching from the app to text messages is offered as a replacement', async () => {
  await button('Add another').click()
  const adding = dialog('Another second factor')
  await adding.getByText('Text message instead of the authenticator app').waitFor()
  await look(page, 'factor-switch')
  await adding.getByRole('button', { name: /^Text message instead/ }).click()
  await adding.getByText('Text messages replace your authenticator app.').waitFor()
  await look(page, 'factor-switch-phone')
  await field('Phone number').fill('+491705555555')
  await button('Send code').click()
  await adding.getByText('sent to +491705555555').waitFor()
  await field('Six-digit code').fill(gateway.codeTo('+491705555555'))
  await adding.getByLabel('I’ve saved these codes').check()
  await adding.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('To the number ending in 5555').waitFor()
  expect(await page.getByRole('list', { name: 'Second factors' }).getByText('Authenticator app').count()).toBe(0)
  await look(page, 'profile-security-phone')
})

const focusedTag = (on: Page) => on.evaluate(() => document.activeElement?.tagName)
const focused = (on: Page) => on.evaluate(() => document.activeElement?.textContent)

test('a warning appears when few recovery codes are left', async () => {
  company.db.statement("UPDATE users SET mfa_recovery_codes = json_array('x', 'y') WHERE email LIKE 'ada%'").run()
  await page.reload()
  await page.getByText('Only 2 codes left').waitFor()
})

test('where a browser makes no passkeys, the page links to the address where it does', async () => {
  const his = await company.signIn(tom.email)
  await enter(his, tom.email, password, company.numericOrigin)
  await his.waitForURL(isHome)
  await his.goto(`${company.numericOrigin}/settings/profile?tab=security`)
  await button('Set up two-factor authentication', his).click()
  await his.getByText('Passkeys need a host name, not an IP address').waitFor()
  const link = his.getByRole('dialog').getByRole('link', { name: /^http:\/\/localhost:/ })
  expect(await link.getAttribute('href')).toMatch(/^http:\/\/localhost:\d+\/settings\/profile\?tab=security$/)
  await look(his, 'factor-chooser-numeric')
  await leave(his)
})

atLength('text messages are enrolled, used to confirm, moved to another phone and turned off', async () => {
  const his = await company.signIn(tom.email)
  await security(his)
  await button('Set up two-factor authentication', his).click()
  await his.getByRole('button', { name: /^Text message/ }).click()
  await field('Phone number', his).fill('0170')
  await button('Send code', his).click()
  await his.getByText('Write the number as').waitFor()
  await field('Phone number', his).fill('+49 170 123-4567')
  await look(his, 'factor-phone')
  await button('Send code', his).click()
  await his.getByText(`sent to ${tom.phone}`).waitFor()
  await field('Six-digit code', his).fill(gateway.codeTo(tom.phone))
  await his.getByLabel('I’ve saved these codes').check()
  await button('Continue', his).click()
  await his.getByText('To the number ending in 4567').waitFor()

  company.age()
  await button('Create new codes', his).click()
  await dialog('Create new recovery codes?', his).getByRole('button', { name: 'Create new codes' }).click()
  const check = dialog('Confirm it’s you', his)
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByRole('button', { name: 'Send code' }).click()
  await check.getByText('ending in 4567').waitFor()
  await check.getByLabel('Six-digit code').waitFor()
  await look(his, 'step-up-sms')
  await check.getByLabel('Six-digit code').fill(gateway.codeTo(tom.phone))
  await his.getByText('These are your new recovery codes').waitFor()
  await his.getByLabel('I’ve saved these codes').check()
  await button('Continue', his).click()

  await button('Change number', his).click()
  await field('Phone number', his).fill('+491709999999')
  // The password given a moment ago is still valid.
  await button('Send code', his).click()
  await his.getByText('sent to +491709999999').waitFor()
  await field('Six-digit code', his).fill(gateway.codeTo('+491709999999'))
  await his.getByText('To the number ending in 9999').waitFor()

  await button('Turn off…', his).click()
  await field('Your password', his).fill(password)
  await look(his, 'turn-off')
  await his.getByRole('button', { name: 'Send me a code' }).click()
  await noticeAppears(his, 'Code sent')
  await field('Code', his).fill(gateway.codeTo('+491709999999'))
  await button('Turn off', his).click()
  await noticeAppears(his, 'Two-factor authentication is off')
  await button('Set up two-factor authentication', his).waitFor()
  await leave(his)
})

test('a new address takes effect when its link is followed, which signs out everywhere', async () => {
  const his = await company.signIn(tom.email, '/settings/profile')
  await button('Change', his).click()
  await field('New email address', his).fill('thomas@northwind.test')
  await look(his, 'email-change')
  await button('Request link', his).click()
  const check = dialog('Confirm it’s you', his)
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await his.getByText('Waiting for thomas@northwind.test').waitFor()
  await his.getByText('Follow its link by').waitFor()
  await look(his, 'email-pending')
  await button('Cancel change', his).click()
  await noticeAppears(his, 'Change canceled')
  await his.getByText('Waiting for').waitFor({ state: 'hidden' })
  await expect.poll(() => focusedTag(his)).not.toBe('BODY')
  await button('Change', his).click()
  await field('New email address', his).fill('thomas@northwind.test')
  await button('Request link', his).click()
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await his.getByText('Waiting for thomas@northwind.test').waitFor()
  const mailTo = (to: string) => writtenMails(company.dataDir).findLast((mail) => mail.to === to)
  await expect.poll(() => mailTo('thomas@northwind.test')?.kind).toBe('verify-email-change')
  await expect.poll(() => mailTo(tom.email)?.kind).toBe('email-change-requested')
  const mail = mailTo('thomas@northwind.test')
  await his.goto(`/auth/verify-email?token=${mail ? tokenIn(mail) : ''}`)
  await button('Continue', his).click()
  await expect
    .poll(() => company.db.statement("SELECT count(*) FROM users WHERE email = 'thomas@northwind.test'").pluck().get())
    .toBe(1)
  await enter(his, 'thomas@northwind.test')
  await his.waitForURL(isHome)
  await leave(his)
})

test('a new password ends the session and leads to the sign-in page', async () => {
  const hers = await company.signIn('thomas@northwind.test', '/settings/profile?tab=security')
  await button('Change', hers).click()
  await field('Current password', hers).fill('Wrong1Horse')
  await field('New password', hers).fill('Violet-Anchor-92-Meadow')
  await look(hers, 'password-change')
  await button('Change password', hers).click()
  await hers.getByText('Wrong password').waitFor()
  await field('Current password', hers).fill(password)
  await button('Change password', hers).click()
  await hers.getByText('Your password was changed').waitFor()
  expect(new URL(hers.url()).search).toBe('?reason=password-changed')
  await enter(hers, 'thomas@northwind.test', 'Violet-Anchor-92-Meadow')
  await hers.waitForURL(isHome)
  await leave(hers)
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
