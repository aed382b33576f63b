import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleAdmin } from '../../server/admin/samples/company.ts'
import { closeIdlePages, keepFromReuse, leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SampleCompany, startSamples } from './samples.ts'

/** The appliance stops while the console is open, and comes back. */

let company: SampleCompany
let page: Page

beforeAll(async () => {
  await closeIdlePages()
  company = await startSamples()
  page = company.page
})

afterAll(() => company?.[Symbol.asyncDispose]())

const link = (name: string) => page.getByRole('link', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name })
const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
const tabIcon = () => page.locator('link[rel~="icon"]').getAttribute('href')
const notice = () => page.getByText('No connection to Homeport')

/** The files that a page needs beside its own are loaded with it; a busy machine takes long for them. */
async function allCodeIsHere() {
  const files = () => page.evaluate(() => performance.getEntriesByType('resource').length)
  for (let before = -1, now = await files(); now !== before; now = await files()) {
    before = now
    await page.waitForTimeout(1000)
  }
}

test('an outage shows one notice, and no part of the page adds an error of its own', async () => {
  // Hovering loads the code of the page, but not its data.
  const code = page.waitForResponse(/\/assets\/people-page/)
  await page.getByRole('link', { name: 'People' }).hover()
  await code
  await allCodeIsHere()
  await company.stop()
  await page.getByRole('link', { name: 'People' }).click()
  await notice().waitFor()
  expect(await notice().count()).toBe(1)
  await expect.poll(() => page.title()).toMatch(/^Not connected · /)
  expect(await tabIcon()).toBe('/icon-offline.svg')
  // Longer than the retries of a failing query.
  await page.waitForTimeout(5000)
  expect(await page.getByText('This didn’t load').count()).toBe(0)
  await look(page, 'outage')
})

test('the data that failed to load appears without a click once the appliance is back', async () => {
  await company.start()
  await page.getByRole('table').getByText(sampleAdmin.email).waitFor()
  await notice().waitFor({ state: 'hidden' })
  await expect.poll(() => page.title()).toBe('People · Homeport')
  expect(await tabIcon(), 'of a company with devices that went offline').toBe('/icon-attention.svg')
})

test('"Try now" reconnects at once', async () => {
  // A separate browser, because its clock stays changed.
  const other = await company.openAnother()
  const lost = other.getByText('No connection to Homeport')
  keepFromReuse(other)
  await other.clock.install()
  // An outage is noticed by the live connection, which is made a moment after the page.
  const connected = other.waitForResponse(/\/events\b/)
  await other.reload()
  await connected
  await company.stop()
  await lost.waitFor()
  // With the clock of the page paused, only the button can try again.
  await other.clock.pauseAt(Date.now() + 60_000)
  await company.start()
  const attempt = other.waitForRequest(/\/events\b/)
  await other.getByRole('button', { name: 'Retry now' }).click()
  await attempt
  await other.clock.resume()
  await lost.waitFor({ state: 'hidden' })
  await leave(other)
})

test('a page whose code cannot be loaded leaves the present page and its input unchanged', async () => {
  await page.getByRole('searchbox').fill('nobody')
  await company.stop()
  await link('Organizations').click()
  await noticeAppears(page, 'The page didn’t load')
  expect(new URL(page.url()).pathname).toBe('/settings/people')
  expect(await page.getByRole('searchbox').inputValue()).toBe('nobody')
  await look(page, 'outage-page')
  // Code of a dialog is retried by itself once the appliance is back.
  await button('Add a device').click()
  await page.getByRole('dialog', { name: 'Add a device' }).waitFor()
  await company.start()
  await page.getByRole('dialog').getByLabel('Organization').waitFor()
  await page.keyboard.press('Escape')
  await link('Organizations').click()
  await heading('Organizations')
})

test('without a page to stay on, the failure is shown and "Try again" loads the code again', async () => {
  await page.route('**/assets/forgot-password-page*', (route) => route.abort())
  await page.route('**/api/v1/health', (route) => route.abort())
  await page.context().clearCookies()
  await page.goto('/login')
  await link('Forgot your password?').click()
  await heading('Homeport didn’t start')
  await look(page, 'outage-door')
  expect(new URL(page.url()).pathname).toBe('/forgot-password')
  await page.unroute('**/assets/forgot-password-page*')
  await page.unroute('**/api/v1/health')
  await button('Try again').click()
  await heading('Forgot your password?')
})

test('after an update a page with a missing file reloads once, then offers a button', async () => {
  await page.goto('/forgot-password')
  await page.route('**/assets/login-page*', (route) => route.fulfill({ status: 404 }))
  let loads = 0
  page.on('load', () => loads++)
  await link('Back to sign-in').click()
  await page.getByText('Homeport was updated').waitFor()
  await page.waitForTimeout(1000)
  expect(loads).toBe(1)
  await page.unroute('**/assets/login-page*')
  await button('Reload').click()
  await heading('Sign in')
})
