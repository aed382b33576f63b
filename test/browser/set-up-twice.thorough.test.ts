import { generateSync } from 'otplib'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { ada, type Company, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'

/** Setting up a second factor in two windows at once, and a factor that the company requires. */

const tom = { name: 'Tom Technician', email: 'tom@northwind.test' }
let gateway: Awaited<ReturnType<typeof smsGateway>>
let company: Company
let page: Page

beforeAll(async () => {
  gateway = await smsGateway()
  company = await startCompany(gateway.env)
  await company.hire(tom)
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const dialog = (on = page) => on.getByRole('dialog')
const openSecurity = async (on = page) => {
  await on.goto('/settings/profile?tab=security')
  await on.getByRole('heading', { name: 'Second factors' }).waitFor()
}
const secretOn = async (on = page) => (await on.locator('text=/^([A-Z2-7]{4} ){4,}/').innerText()).replaceAll(' ', '')
const chooseApp = (on = page) => button(/^Authenticator app/, on).click()
const showCode = (on: Page, secret: string) => on.getByLabel('Six-digit code').fill(generateSync({ secret }))
const keepCodes = async (on: Page) => {
  await on.getByLabel('I’ve saved these codes').check()
  await button('Continue', on).click()
}
/** The events a browser sends when its window comes to the front again. */
const comeBack = (on: Page) =>
  on.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
const requireFactors = (requireMfa: boolean) =>
  company.db.run(q.updateTable('partners').set({ settings: toJson({ security: { requireMfa } }) }))

test('Escape leaves the setup until there are recovery codes, and reopening it shows the same QR code', async () => {
  await openSecurity()
  await button('Set up two-factor authentication').click()
  await button(/^Authenticator app/).waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await button('Set up two-factor authentication').click()
  await chooseApp()
  const secret = await secretOn()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await page.reload()
  await button('Set up two-factor authentication').click()
  await chooseApp()
  expect(await secretOn()).toBe(secret)
})

test('Escape closes only the identity check, and the dialog below it stays', async () => {
  await page.keyboard.press('Escape')
  company.age()
  await page.reload()
  await button('Set up two-factor authentication').click()
  await chooseApp()
  const check = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await check.getByLabel('Password', { exact: true }).fill('x')
  await page.keyboard.press('Escape')
  await check.waitFor({ state: 'hidden' })
  await button('Try again').click()
  await check.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await secretOn()
})

test('an expired QR code says so, and a button makes a new one', async () => {
  const secret = await secretOn()
  company.db.run(q.updateTable('one_time_secrets').set({ expires_at: '2020-01-01T00:00:00.000Z' }))
  await showCode(page, secret)
  await page.getByText('Setup has expired').waitFor()
  await look(page, 'factor-app-expired')
  await button('Start over').click()
  await expect.poll(() => secretOn()).not.toBe(secret)
  const elsewhere = await company.signIn(ada.email)
  const former = await secretOn()
  await openSecurity(elsewhere)
  await button('Set up two-factor authentication', elsewhere).click()
  await chooseApp(elsewhere)
  expect(await secretOn(elsewhere)).not.toBe(former)
  await showCode(page, former)
  await page.getByText('belongs to an earlier QR code').waitFor()
  await leave(elsewhere)
})

test('a page with a required setup moves on once another window has completed it', async () => {
  requireFactors(true)
  await page.goto('/devices')
  await page.waitForURL('**/auth/mfa/setup**')
  const other = await page.context().newPage()
  await other.goto('/organizations')
  await other.waitForURL('**/auth/mfa/setup**')
  for (const window of [page, other]) await chooseApp(window)
  const secret = await secretOn()
  expect(await secretOn(other)).toBe(secret)
  await showCode(other, secret)
  await other.getByRole('list', { name: 'Recovery codes' }).waitFor()
  // Recovery codes stay on the screen, although the account has its factor now.
  await comeBack(other)
  await showCode(page, secret)
  await page.waitForURL('**/devices**')
  await other.getByRole('list', { name: 'Recovery codes' }).waitFor()
  await keepCodes(other)
  await other.waitForURL('**/organizations**')
  await other.close()
})

test('returning to the window of a required setup moves it on once another window has completed it', async () => {
  requireFactors(false)
  const first = await company.signIn(tom.email)
  requireFactors(true)
  const second = await first.context().newPage()
  await first.goto('/devices')
  await chooseApp(first)
  const secret = await secretOn(first)
  await second.goto('/devices')
  await chooseApp(second)
  await showCode(second, secret)
  await keepCodes(second)
  await second.waitForURL('**/devices**')
  expect(new URL(first.url()).pathname).toBe('/auth/mfa/setup')
  await comeBack(first)
  await first.waitForURL('**/devices**')
  await leave(first)
})

test('a factor that the company requires cannot be turned off', async () => {
  await openSecurity()
  await page.getByText('Your company requires a second factor, so it can’t be turned off.').waitFor()
  expect(await button('Turn off…').count()).toBe(0)
  await look(page, 'factor-required')
  requireFactors(false)
  await openSecurity()
  await button('Turn off…').waitFor()
})

test('the last required passkey is refused with the reason instead of a password prompt', async () => {
  const authenticator = await virtualAuthenticator(page)
  await button('Add another').click()
  await button(/^Passkey/).click()
  await button('Create passkey').click()
  const check = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await check.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Passkey for localhost').waitFor()
  expect(await authenticator.credentialIds()).toHaveLength(1)
  company.db.run(
    q.updateTable('partners').set({
      settings: toJson({ security: { requireMfa: true, allowedMfaMethods: { totp: false, sms: false } } }),
    }),
  )
  await openSecurity()
  await button(/^Actions for/).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog().getByText('this is your last accepted one').waitFor()
  await look(page, 'passkey-required')
  await button('Cancel').click()
  requireFactors(true)
  await openSecurity()
  await button(/^Actions for/).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog().getByLabel('Your password').waitFor()
})

test('the test text message accepts a phone number with spaces and punctuation', async () => {
  await page.goto('/system/mail?tab=text-messages')
  const field = page.getByLabel('Phone number')
  await field.fill('+49 (170) 123-4567')
  await button('Send test message').click()
  await page.getByText('The provider accepted it').waitFor()
  expect(gateway.messages.at(-1)?.to).toBe('+491701234567')
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
