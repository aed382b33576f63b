import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleAdmin } from '../../server/admin/samples.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { type SampleCompany, startSamples } from './samples.ts'

/** The appliance goes away under an open console, and comes back. */

let company: SampleCompany
let page: Page

beforeAll(async () => {
  company = await startSamples()
  page = company.page
})

afterAll(() => company?.[Symbol.asyncDispose]())

const link = (name: string) => page.getByRole('link', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name })
const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
const notice = () => page.getByText('No connection to Homeport')

/** What a page needs beside its own file is fetched with it, and takes as long as the machine is busy. */
async function allCodeIsHere() {
  const files = () => page.evaluate(() => performance.getEntriesByType('resource').length)
  for (let before = -1, now = await files(); now !== before; now = await files()) {
    before = now
    await page.waitForTimeout(1000)
  }
}

test('it is said once, and no part of the page complains beside it', async () => {
  // Hovered before: the code of the page is there, its data is not.
  const code = page.waitForResponse(/\/assets\/people-page/)
  await page.getByRole('link', { name: 'People' }).hover()
  await code
  await allCodeIsHere()
  await company.stop()
  await page.getByRole('link', { name: 'People' }).click()
  await notice().waitFor()
  expect(await notice().count()).toBe(1)
  // Longer than a failing query is tried again.
  await page.waitForTimeout(5000)
  expect(await page.getByText('This did not load').count()).toBe(0)
  await look(page, 'outage')
})

test('what failed meanwhile is there as soon as the appliance is, without anybody doing anything', async () => {
  await company.start()
  await page.getByRole('table').getByText(sampleAdmin.email).waitFor()
  await notice().waitFor({ state: 'hidden' })
})

test('who does not want to wait tries at once', async () => {
  // A browser of its own, because its clock stays changed.
  const other = await company.openAnother()
  const lost = other.getByText('No connection to Homeport')
  await other.clock.install()
  await company.stop()
  await lost.waitFor()
  // The page's clock stands still: by itself it never tries again.
  await other.clock.pauseAt(Date.now() + 60_000)
  await company.start()
  const attempt = other.waitForRequest(/\/events\b/)
  await other.getByRole('button', { name: 'Try now' }).click()
  await attempt
  await other.clock.resume()
  await lost.waitFor({ state: 'hidden' })
  await other.context().close()
})

test('a page whose code is not here yet leaves the present one, and what is typed in it, as it is', async () => {
  await page.getByRole('searchbox').fill('nobody')
  await company.stop()
  await link('Organizations').click()
  await noticeAppears(page, 'That page did not load')
  expect(new URL(page.url()).pathname).toBe('/settings/people')
  expect(await page.getByRole('searchbox').inputValue()).toBe('nobody')
  await look(page, 'outage-page')
  // A part of the page comes by itself once it can.
  await button('Add a device').click()
  await page.getByRole('dialog', { name: 'Add a device' }).waitFor()
  await company.start()
  await page.getByRole('dialog').getByLabel('Organization').waitFor()
  await page.keyboard.press('Escape')
  await link('Organizations').click()
  await heading('Organizations')
})

test('where there is no page to stay on, it is said, and a second try fetches the code anew', async () => {
  await page.route('**/assets/forgot-password-page*', (route) => route.abort())
  await page.route('**/api/v1/health', (route) => route.abort())
  await page.context().clearCookies()
  await page.goto('/login')
  await link('Forgot your password?').click()
  await heading('Homeport did not open')
  await look(page, 'outage-door')
  expect(new URL(page.url()).pathname).toBe('/forgot-password')
  await page.unroute('**/assets/forgot-password-page*')
  await page.unroute('**/api/v1/health')
  await button('Try again').click()
  await heading('Forgot your password?')
})

test('after an update the page that misses a file is loaded anew, but not for ever', async () => {
  await page.goto('/forgot-password')
  await page.route('**/assets/login-page*', (route) => route.fulfill({ status: 404 }))
  let loads = 0
  page.on('load', () => loads++)
  await link('Back to the sign-in').click()
  await page.getByText('Homeport was updated').waitFor()
  await page.waitForTimeout(1000)
  expect(loads).toBe(1)
  await page.unroute('**/assets/login-page*')
  await button('Reload').click()
  await heading('Sign in')
})
