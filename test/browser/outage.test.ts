import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleAdmin } from '../../server/admin/samples.ts'
import { chromiumArgs, findChromium } from '../helpers/chromium.ts'
import { type RealProcess, startProcess, startServer } from '../helpers/real-appliance.ts'
import { look } from './look.ts'

/** The appliance goes away under an open console, and comes back. */

const dataDir = mkdtempSync(join(tmpdir(), 'homeport-outage-'))
let server: RealProcess & { port: number }
let browser: Browser
let page: Page

beforeAll(async () => {
  server = await startServer(dataDir, { HOMEPORT_TLS: 'off' })
  await startProcess('server/admin/index.ts', ['seed-samples'], { HOMEPORT_DATA_DIR: dataDir }).saying('Sign in as')
  browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  const context = await browser.newContext({
    baseURL: `http://localhost:${server.port}`,
    viewport: { width: 1280, height: 800 },
  })
  page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel('E-mail', { exact: true }).fill(sampleAdmin.email)
  await page.getByLabel('Password', { exact: true }).fill(sampleAdmin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('table').waitFor()
})

afterAll(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const notice = () => page.getByText('No connection to Homeport')

test('it is said once, and no part of the page complains beside it', async () => {
  // Hovered before: the code of the page is there, its data is not.
  await page.getByRole('link', { name: 'People' }).hover()
  await page.waitForTimeout(500)
  await server.stop()
  await page.getByRole('link', { name: 'People' }).click()
  await notice().waitFor()
  expect(await notice().count()).toBe(1)
  // Longer than a failing query is tried again.
  await page.waitForTimeout(5000)
  expect(await page.getByText('This did not load').count()).toBe(0)
  await look(page, 'outage')
})

test('what failed meanwhile is there as soon as the appliance is, without anybody doing anything', async () => {
  server = await startServer(dataDir, { HOMEPORT_TLS: 'off', HOMEPORT_PORT: String(server.port) })
  await page.getByRole('table').getByText(sampleAdmin.email).waitFor({ timeout: 40_000 })
  await notice().waitFor({ state: 'hidden' })
})

test('who does not want to wait tries at once', async () => {
  await server.stop()
  await notice().waitFor()
  await page.waitForTimeout(8000)
  server = await startServer(dataDir, { HOMEPORT_TLS: 'off', HOMEPORT_PORT: String(server.port) })
  await page.getByRole('button', { name: 'Try now' }).click()
  await notice().waitFor({ state: 'hidden', timeout: 5000 })
})
