import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sharedBrowser } from '../helpers/chromium.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { ada, type Company, password, startCompany } from './company.ts'
import { leave, openContext } from './context.ts'
import { noticeAppears } from './notices.ts'

/** The console without a mouse: after every step the focus is somewhere sensible. */

let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

/** The focused element, by its name or its text. */
const focused = (on = page) =>
  on.evaluate(() => {
    const { activeElement: element } = document
    if (!(element instanceof HTMLElement) || element === document.body) return 'nothing'
    const label = (element as HTMLInputElement).labels?.[0]?.innerText
    const words = label ?? element.ariaLabel ?? element.innerText
    return words.trim() || element.tagName.toLowerCase()
  })

/** Presses a key and returns what has the focus once the page has settled. */
async function press(key: string, expected: string | RegExp, on = page) {
  await on.keyboard.press(key)
  await isOn(expected, on, `after ${key}`)
}

async function isOn(expected: string | RegExp, on = page, message = 'now') {
  const wanted = typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected)
  await expect.poll(() => focused(on), { message }).toEqual(wanted)
  // A dialog leaves after a moment, and the focus it gave back may be lost again.
  await on.waitForTimeout(500)
  expect(await focused(on), `${message}, a moment later`).toEqual(wanted)
}

const goTo = async (path: string, heading: string, on = page) => {
  await on.goto(path)
  await on.getByRole('heading', { name: heading }).first().waitFor()
}
const focus = (role: 'button' | 'textbox' | 'tab', name: string | RegExp, on = page) =>
  on.getByRole(role, { name, exact: true }).focus()

test('the setup wizard moves the focus from step to step', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-keyboard-'))
  const server = await serveHere(dataDir)
  onTestFinished(async () => {
    await leave(wizard)
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const wizard = await (
    await openContext(await sharedBrowser(), { baseURL: `http://localhost:${server.port}` })
  ).newPage()
  await wizard.goto(`/setup#code=${server.app.bootstrap.setupCode()}`)
  await isOn('Company', wizard)
  await wizard.keyboard.type('Northwind')
  // The form is refused, and the focus moves to the first missing field.
  await press('Enter', 'Your name', wizard)
  await wizard.keyboard.type('Ada')
  await press('Tab', 'Email', wizard)
  await wizard.keyboard.type('ada@northwind.test')
  await press('Tab', 'Password', wizard)
  await wizard.keyboard.type(password)
  await press('Enter', 'Organization', wizard)
  await wizard.keyboard.type('Berlin')
  await press('Tab', 'First site', wizard)
  await wizard.keyboard.type('Headquarters')
  await press('Enter', 'Set up two-factor authentication', wizard)
  await press('Enter', /^(Passkey|Authenticator app)/, wizard)
  await focus('button', 'Skip for now', wizard)
  await press('Enter', 'Organization', wizard)
})

test('saving leaves the focus on the Save button', async () => {
  await goTo('/settings/profile', 'Your profile')
  await focus('textbox', 'Your name')
  await page.keyboard.press('End')
  await page.keyboard.type('X')
  await press('Tab', 'Save')
  await page.keyboard.press('Enter')
  await noticeAppears(page, 'Name saved')
  await isOn('Save')
  // There is nothing to save now, and the button says so.
  expect(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
})

test('the focus is kept while a second factor is added, its recovery codes renewed and the factor turned off', async () => {
  await goTo('/settings/profile?tab=security', 'Second factors')
  await focus('button', 'Set up two-factor authentication')
  await press('Enter', /^(Passkey|Authenticator app)/)
  await focus('button', /^Authenticator app/)
  await press('Enter', 'Six-digit code')
  // On a phone the code is on the screen that would scan it.
  const inApp = page.getByRole('link', { name: 'Open in an authenticator app' })
  expect(await inApp.count()).toBe(0)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  expect(await inApp.getAttribute('href')).toMatch(/^otpauth:\/\/totp\/.*secret=[A-Z2-7]+/)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  const secret = (await page.getByText(/^([A-Z2-7]{4} ){2}/).innerText()).replaceAll(' ', '')
  await page.keyboard.type(generateSync({ secret }))
  await isOn('Copy')
  await focusOnKept()
  await press('Enter', 'Add another')

  await focus('button', 'Create new codes')
  // The dialog takes the focus a moment after it appears.
  await press('Enter', /^(Cancel|Create new codes)$/)
  await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).focus()
  await press('Enter', 'Copy')
  await focusOnKept()
  await press('Enter', 'Create new codes')

  await focus('button', 'Turn off…')
  await press('Enter', 'Your password')
  await page.keyboard.type('Wrong1Horse')
  await press('Tab', 'Show')
  await press('Tab', 'Code')
  await page.keyboard.type('000000')
  await press('Enter', 'Your password')
  await press('Escape', 'Turn off…')
})

async function focusOnKept() {
  await page.getByLabel('I’ve saved these codes').focus()
  await page.keyboard.press('Space')
  await press('Tab', 'Continue')
}

test('the focus is kept while a test mail is sent and a mail server is saved and removed', async () => {
  await using server = await mailServer()
  await goTo('/system/mail?tab=mail-server', 'Mail server')
  await focus('textbox', 'Server')
  await press('Enter', 'Server')
  await page.keyboard.type('127.0.0.1')
  await page.getByLabel('Port').fill(String(server.port))
  await page.getByLabel('Verify certificate').uncheck()
  await focus('textbox', 'From')
  await page.keyboard.type('box@northwind.test')
  await page.keyboard.press('Enter')
  await noticeAppears(page, 'Mail server saved')
  await isOn(/./)
  await focus('button', 'Send test email')
  await page.keyboard.press('Enter')
  await page.getByText('The mail server accepted it').waitFor()
  await isOn('Send test email')
  await focus('button', 'Remove…')
  await press('Enter', /./)
  await page.getByRole('button', { name: 'Remove the mail server' }).focus()
  await page.keyboard.press('Enter')
  await noticeAppears(page, 'mail server removed')
  await isOn(/^(?!nothing)/)
})

test('closing a dialog opened from a menu returns the focus to the button of the menu', async () => {
  await page.request.post('/api/v1/auth/forgot-password', { data: { email: ada.email } })
  await goTo('/system/mail?status=queued', 'Messages')
  const actions = page.getByRole('button', { name: /^Actions for the email/ })
  await actions.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Discard…' }).focus()
  await press('Enter', /./)
  await press('Escape', 'Actions for the email')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Discard…' }).focus()
  // A dialog that has just opened takes the focus for itself.
  await press('Enter', /./)
  await page.getByRole('button', { name: 'Discard email' }).focus()
  await page.keyboard.press('Enter')
  // The row and its menu are gone.
  await actions.waitFor({ state: 'hidden' })
  await isOn(/^(?!nothing)/)
})

test('the collapsed navigation cannot be focused until it is opened', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await goTo('/settings/sign-in', 'Sign-in and SSO')
  await press('Tab', 'Skip to content')
  await press('Tab', 'Navigation')
  await press('Tab', 'home page')
  await press('Tab', 'Search')
  await press('Tab', 'Add a device')
  await press('Tab', 'Account of')
  await press('Tab', 'Security')
  await focus('button', 'Navigation')
  await press('Enter', 'Home')
  await press('Shift+Tab', 'Account of')
  await press('Tab', 'Home')
  await press('Escape', 'Navigation')
  await press('Enter', 'Home')
  await press('Tab', 'Devices')
  await press('Tab', 'Organizations')
  await press('Enter', /^Organizations/)
  await page.waitForURL('**/organizations')
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('Home and End open the first and the last tab', async () => {
  await page.goto('/settings/profile')
  await page.getByRole('tab').first().focus()
  const isOpen = (tab: Locator) => tab.evaluate((one) => one.ariaSelected === 'true' && one === document.activeElement)
  await page.keyboard.press('End')
  await expect.poll(() => isOpen(page.getByRole('tab').last())).toBe(true)
  await page.keyboard.press('Home')
  await expect.poll(() => isOpen(page.getByRole('tab').first())).toBe(true)
})

test('a select takes what was typed by Tab and by Enter, and Enter saves nothing while nothing matches', async () => {
  await goTo('/settings/company', 'Company')
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.focus()
  await page.keyboard.type('vienna')
  await press('Tab', /./)
  expect(await zone.inputValue()).toBe('Europe/Vienna')
  await zone.focus()
  await page.keyboard.type('lisb')
  await page.keyboard.press('Enter')
  expect(await zone.inputValue()).toBe('Europe/Lisbon')
  await page.keyboard.type('nowhere')
  await press('Escape', 'Time zone')
  expect(await zone.inputValue()).toBe('Europe/Lisbon')
  await press('Escape', 'nothing')
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.method()))
  await zone.focus()
  await page.keyboard.type('nowhere')
  await page.getByText('No time zones match').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForTimeout(500)
  expect(calls).not.toContain('PATCH')
  await page.keyboard.press('Tab')
  expect(await zone.inputValue()).toBe('Europe/Lisbon')
  await page.reload()
})

test('a button that does nothing is no tab stop', async () => {
  await goTo('/settings/company', 'Company')
  await page.getByRole('button', { name: 'Save' }).first().waitFor()
  const stops = await page
    .getByRole('button', { name: 'Save' })
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).tabIndex))
  expect(new Set(stops)).toEqual(new Set([-1]))
})

test('single letters are shortcuts, except in a text field', async () => {
  await goTo('/devices', 'Devices')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape', /./)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await press('/', 'Search')
  await page.keyboard.type('j/k?')
  await isOn('Search')
  expect(await page.getByRole('searchbox').inputValue()).toBe('j/k?')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('single letters are no shortcuts for who turned them off, kept with the account', async () => {
  await goTo('/devices', 'Devices')
  await page.keyboard.press('?')
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const kept = () => company.db.statement('SELECT preferences FROM users WHERE email = ?').pluck().get(ada.email)
  await shortcuts.getByLabel('Single-key shortcuts').click()
  await expect.poll(kept).toMatch(/"letterKeys":\s*false/)
  await press('Escape', /./)
  await shortcuts.waitFor({ state: 'hidden' })
  await page.reload()
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.type('gp/?s')
  await page.waitForTimeout(300)
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/devices')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await page.getByLabel('Single-key shortcuts').click()
  await expect.poll(kept).toMatch(/"letterKeys":\s*true/)
})

test('a page opens by "g" and its letter, and the letter alone does nothing else then', async () => {
  await goTo('/devices', 'Devices')
  await page.keyboard.type('gp')
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  // A list has "k" for the row above.
  await page.keyboard.type('gk')
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.type('gp')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/settings/api-keys')
})

test('the settings in the navigation stay expanded after a reload, and collapsed they show the open page', async () => {
  await goTo('/settings/roles', 'Roles')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const links = () => navigation.getByRole('link').allInnerTexts()
  const group = navigation.getByRole('button', { name: 'Settings' })
  const backup = [
    ...['Overview', 'Protection', 'Jobs', 'Restore files', 'Restores'],
    ...['Readiness', 'SLA', 'Storage', 'Second copies', 'Usage', 'Keys'],
  ]
  expect(await links()).toEqual(['Home', 'Devices', 'Organizations', 'People', 'Audit log', ...backup, 'Roles'])
  await group.click()
  expect(await links()).toContain('Messages')
  await page.reload()
  await expect.poll(links).toContain('Messages')
  await group.click()
  await goTo('/devices', 'Devices')
  expect(await links()).toEqual(['Home', 'Devices', 'Organizations', 'People', 'Audit log', ...backup])
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
