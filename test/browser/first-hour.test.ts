import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restore } from '../../server/admin/archive.ts'
import { loadConfig } from '../../server/config/config.ts'
import { sharedBrowser } from '../helpers/chromium.ts'
import { type RealProcess, startProcess, startServer } from '../helpers/real-appliance.ts'
import { openContext } from './context.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'

/**
 * The whole first hour as a user experiences it: setup link, wizard, "Add a device", the agent on the device, a script,
 * the agent stopped, signing out and in. A real appliance over TLS, a real agent, a real Chromium.
 */

const workDir = mkdtempSync(join(tmpdir(), 'homeport-browser-'))
const stateDir = join(workDir, 'agent')
const secret = 'Correct1Horse'
let server: RealProcess & { port: number }
let agent: RealProcess | undefined
let context: BrowserContext
let page: Page
/** The address in the setup link: cookies belong to it. */
let origin: string
/** Of the authenticator app. */
let appSecret = ''
const complaints: string[] = []
const refusals: string[] = []

beforeAll(async () => {
  server = await startServer(join(workDir, 'data'), { HOMEPORT_HEARTBEAT_SECONDS: '5' })
  context = await openContext(await sharedBrowser(), { ignoreHTTPSErrors: true })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  context.on('response', (response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  page.on('console', (message) => {
    // Some steps expect a refused call; a blocked resource or a policy violation is never expected.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
})

afterAll(async () => {
  await context?.close()
  await agent?.stop()
  await server?.stop()
  rmSync(workDir, { recursive: true, force: true })
})

const button = (name: string | RegExp) => page.getByRole('button', { name })
const field = (label: string) => page.getByLabel(label, { exact: true })

test('the setup link leads through the wizard to "Add a device"', async () => {
  const [link] = /https:\/\/\S+\/setup#code=\S+/.exec(server.output()) ?? []
  origin = new URL(link ?? '').origin
  await page.goto(link ?? '')
  await field('Company').fill('Northwind Traders')
  await field('Your name').fill('Ada Admin')
  await field('Email').fill('ada@northwind.test')
  await field('Password').fill('too weak')
  await button('Create administrator').click()
  // The form refuses it and keeps everything typed.
  await expect.poll(() => field('Company').inputValue()).toBe('Northwind Traders')
  await field('Password').fill(secret)
  expect(await field('No, only people I invite').isChecked()).toBe(true)
  await look(page, 'setup-administrator')
  await button('Create administrator').click()

  await field('Organization').fill('Berlin office')
  await field('First site').fill('Headquarters')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo')
  await chooseOption(page.getByRole('option', { name: 'Asia/Tokyo' }))
  await look(page, 'setup-organization')
  await page.locator('button[type=submit]').click()

  await look(page, 'setup-security')
  await button(/skip/i).click()
  await button('Show command').click()
  await page.getByText('Waiting for the device').waitFor()
  await look(page, 'setup-device')
})

test('the device appears without a reload once the agent has run the command', async () => {
  await page.getByRole('tab', { name: 'From source' }).click()
  const commands = await page.getByLabel('Commands for a checkout').innerText()
  const [, args = ''] = /npm run agent -- (enroll .*)/.exec(commands) ?? []
  const enrollment = startProcess('dist/agent/homeport-agent.mjs', args.trim().split(/\s+/), {
    HOMEPORT_AGENT_STATE_DIR: stateDir,
  })
  await enrollment.saying('Enrolled')
  await page.getByText(`${hostname()} is online.`).waitFor()
  agent = startProcess('dist/agent/homeport-agent.mjs', ['run'], { HOMEPORT_AGENT_STATE_DIR: stateDir })
  await agent.saying('socket: connected')
  await button('Finish setup').click()
})

test('the list shows the device online, and can be searched, filtered and sorted', async () => {
  await page.getByRole('heading', { name: 'Your first device is online' }).waitFor()
  await look(page, 'first-device')
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  const row = page.getByRole('row', { name: new RegExp(hostname()) })
  await row.getByText('Online').waitFor()
  // The wizard has already read the counts, before the device came.
  await page.getByRole('button', { name: /^1\s*All devices/ }).waitFor()
  await look(page, 'devices')
  await page.keyboard.press('/')
  await page.keyboard.type('no such device')
  await page.getByText('No devices match').waitFor()
  await look(page, 'devices-no-match')
  await button(/clear/i).first().click()
  await row.waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBeNull()
})

test('the device page shows what the agent reported, with live metrics', async () => {
  await page.getByRole('row', { name: new RegExp(hostname()) }).click()
  await page.waitForURL('**/devices/*')
  await page.getByRole('heading', { name: hostname() }).waitFor()
  await page.getByText('Berlin office').first().waitFor()
  await page.waitForTimeout(6000)
  await look(page, 'device')
  await page
    .getByRole('table', { name: 'CPU, last 1 hour' })
    .getByRole('columnheader', { name: 'CPU, highest' })
    .waitFor()
  expect(await page.locator('main svg[tabindex]').count(), 'charts that the Tab key stops at').toBe(0)
  for (const tab of ['Hardware', 'Network', 'Software', 'Commands']) {
    await page.getByRole('tab', { name: new RegExp(tab) }).click()
    await look(page, `device-${tab.toLowerCase()}`)
  }
})

test('the first script leads through a second factor, then runs: output while it runs, exit code at the end', async () => {
  await button('Run script').first().click()
  const mark = join(workDir, 'seen')
  await field('Script').fill(`echo first; until [ -e ${mark} ]; do sleep 0.1; done; echo second >&2; exit 7`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const check = page.getByRole('dialog', { name: /^(Set up two-factor authentication|Confirm it’s you)$/ })
  await check.getByText('your account has none yet').waitFor()
  await look(page, 'script-second-factor')
  await check.getByRole('button', { name: /^Authenticator app/ }).click()
  const shown = await check.locator('text=/^([A-Z2-7]{4} ){4,}/').innerText()
  appSecret = shown.replaceAll(' ', '')
  await check.getByLabel('Six-digit code').fill(generateSync({ secret: appSecret }))
  await check.getByLabel('I’ve saved these codes').check()
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.waitFor({ state: 'hidden' })
  const drawer = page.getByRole('dialog')
  await drawer.getByText('first', { exact: true }).first().waitFor()
  expect(await drawer.getByText('second', { exact: true }).count()).toBe(0)
  writeFileSync(mark, '')
  await drawer
    .getByText(/exit code/i)
    .first()
    .waitFor()
  await drawer.getByText('second', { exact: true }).first().waitFor()
  expect(await drawer.innerText()).toMatch(/exit code\s*7/i)
  // It no longer runs.
  await drawer.getByText('The output is also under Commands.').waitFor()
  expect(await drawer.getByText('keeps running').count()).toBe(0)
  await look(page, 'script')
  await page.keyboard.press('Escape')
})

test('a command shows its first line, its id and its output, and a script can be changed and run again', async () => {
  await page.getByRole('tab', { name: 'Commands' }).click()
  const row = page.getByRole('row', { name: /echo first; until/ })
  await row.getByText('exit code 7').waitFor()
  await row.click()
  const id = await page.locator('dd', { hasText: /^[0-9a-f-]{36}/ }).innerText()
  await page.getByRole('log', { name: 'Output' }).getByText('second').waitFor()
  await look(page, 'command')
  await button('Run again').click()
  const drawer = page.getByRole('dialog')
  await expect.poll(() => drawer.getByLabel('Script', { exact: true }).inputValue()).toMatch(/^echo first; until/)
  await drawer.getByLabel('Script', { exact: true }).fill('# Ends well.\necho third')
  await drawer.getByRole('button', { name: 'Run', exact: true }).click()
  await drawer.getByText('third', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /^Details of echo third.*exit code 0/ }).waitFor()
  // A link to a command opens it, and one that is not of this device says so.
  expect(new URL(page.url()).searchParams.get('command')).toBe(id.trim())
  await page.goto(page.url().replace(id.trim(), randomUUID()))
  await page.getByText('This device has no such command').waitFor()
})

test('the event of a script leads to what it said', async () => {
  const devicePage = page.url()
  await page.getByRole('link', { name: 'History' }).click()
  await button('2 times').first().click()
  await page
    .getByRole('row', { name: /exit code 7/ })
    .getByRole('link')
    .click()
  const drawer = page.getByRole('dialog', { name: 'Returned a command result' })
  await drawer.getByRole('log', { name: 'Output' }).getByText('second').waitFor()
  await look(page, 'audit-log-command')
  await drawer.getByRole('link', { name: 'Open command' }).click()
  await page.getByRole('tab', { name: 'Commands', selected: true }).waitFor()
  await page
    .getByRole('row', { name: /echo first; until/ })
    .first()
    .waitFor()
  expect(await button(/^Details of echo first; until/).getAttribute('aria-expanded')).toBe('true')
  expect(new URL(page.url()).pathname).toBe(new URL(devicePage).pathname)
  await page.getByRole('tab', { name: 'Overview' }).click()
})

test('a stopped agent turns the device offline without a reload, a started one online again', async () => {
  await page.evaluate(() => Object.assign(window, { wasNotReloaded: true }))
  const badge = page.getByRole('main').getByText('Offline', { exact: true }).first()
  await agent?.stop()
  await badge.waitFor()
  agent = startProcess('dist/agent/homeport-agent.mjs', ['run'], { HOMEPORT_AGENT_STATE_DIR: stateDir })
  await page.getByRole('main').getByText('Online', { exact: true }).first().waitFor()
  expect(await page.evaluate(() => 'wasNotReloaded' in window)).toBe(true)
})

test('the other pages: organizations, keys, profile, jobs, appliance', async () => {
  for (const [name, path] of [
    ['organizations', '/organizations'],
    ['enrollment-keys', '/enrollment-keys'],
    ['profile', '/settings/profile'],
    ['jobs', '/system/appliance?tab=jobs'],
    ['appliance', '/system/appliance'],
  ]) {
    await page.goto(`${origin}${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.waitForTimeout(400)
    await look(page, name ?? '')
  }
})

test('a backup is downloaded, and the page says so', async () => {
  await page.goto(`${origin}/system/appliance`)
  await page.getByText('None yet').waitFor()
  await button('Download a backup…').click()
  await look(page, 'backup-download')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^homeport-[\d-]{10}\.tgz$/)
  const path = join(workDir, 'homeport.tgz')
  await file.saveAs(path)
  const target = loadConfig({ HOMEPORT_DATA_DIR: join(workDir, 'restored') })
  expect(await restore(target, path)).toContain('Restored homeport.tgz')
  await page.getByText('(downloaded').waitFor()
  await look(page, 'appliance-backup')
})

test('the time zone of the setup is the company’s, and preselected for a new site', async () => {
  await page.goto(`${origin}/settings/company`)
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await expect.poll(() => zone.inputValue()).toBe('Asia/Tokyo')
  await page.goto(`${origin}/organizations`)
  await page.getByRole('link', { name: 'Berlin office' }).first().click()
  await page.getByRole('tab', { name: /Sites/ }).click()
  await page
    .getByRole('row', { name: /Headquarters/ })
    .getByText('Asia/Tokyo')
    .waitFor()
  await button('New site').first().click()
  await expect
    .poll(() => page.getByRole('dialog').getByRole('combobox', { name: 'Time zone' }).inputValue())
    .toBe('Asia/Tokyo')
  await page.keyboard.press('Escape')
})

test('signing out ends the session in every tab, and signing in returns to the requested page', async () => {
  const other = await context.newPage()
  await other.goto(`${origin}/organizations`)
  await other.getByRole('heading', { name: 'Organizations' }).waitFor()
  await page.getByRole('button', { name: /Ada Admin/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login**')
  await other.reload()
  await other.waitForURL('**/login**')
  await other.close()

  await look(page, 'login')
  await page.goto(`${origin}/enrollment-keys`)
  await page.waitForURL('**/login**')
  await field('Email').fill('ada@northwind.test')
  await field('Password').fill('Wrong1Horse')
  await button(/^Sign in$/).click()
  await page.getByText(/email or password/i).waitFor()
  await field('Password').fill(secret)
  await button(/^Sign in$/).click()
  // A code works once, so this is the one of the next step.
  const nextCode = generateSync({ secret: appSecret, epoch: Math.floor(Date.now() / 1000) + 30 })
  await page.getByLabel('Six-digit code').fill(nextCode)
  await page.waitForURL('**/enrollment-keys**')
})

test('no page reports a script error or a policy violation, and only three calls were refused', () => {
  expect(complaints).toEqual([])
  // The wrong password, the script before there was a second factor, and a link to a command of another device.
  const isExpected = (refusal: string) =>
    /^401 .*auth\/(login|refresh)$|^403 .*\/scripts$|^404 .*\/commands\//.test(refusal)
  expect(refusals.filter((refusal) => !isExpected(refusal))).toEqual([])
  expect(refusals.filter((refusal) => refusal.startsWith('403'))).toHaveLength(1)
})
