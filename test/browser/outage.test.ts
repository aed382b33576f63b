import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleAdmin } from '../../server/admin/samples.ts'
import { look } from './look.ts'
import { type SampleCompany, startSamples } from './samples.ts'

/** The appliance goes away under an open console, and comes back. */

let company: SampleCompany
let page: Page

beforeAll(async () => {
  company = await startSamples()
  page = company.page
})

afterAll(() => company?.[Symbol.asyncDispose]())

const notice = () => page.getByText('No connection to Homeport')

test('it is said once, and no part of the page complains beside it', async () => {
  // Hovered before: the code of the page is there, its data is not.
  await page.getByRole('link', { name: 'People' }).hover()
  await page.waitForTimeout(500)
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
  await page.getByRole('table').getByText(sampleAdmin.email).waitFor({ timeout: 40_000 })
  await notice().waitFor({ state: 'hidden' })
})

test('who does not want to wait tries at once', async () => {
  await company.stop()
  await notice().waitFor()
  await page.waitForTimeout(8000)
  await company.start()
  await page.getByRole('button', { name: 'Try now' }).click()
  await notice().waitFor({ state: 'hidden', timeout: 5000 })
})
