import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { linkIn, writtenMails } from '../helpers/mail.ts'
import { ada, type Company, enter, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { noticeAppears } from './notices.ts'

/** Unsaved forms when the session ends or somebody else signs in. */

let company: Company

beforeAll(async () => {
  company = await startCompany({ EMAIL_PROVIDER: 'file' })
})

afterAll(async () => {
  expect(company?.complaints ?? []).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const nameOf = (email: string) => company.db.statement('SELECT name FROM users WHERE email = ?').pluck().get(email)

/** Revokes the sessions as an administrator or a week would: the tab learns of it with its next call. */
const revokeSessions = (email: string) =>
  company.db
    .statement(
      "UPDATE sessions SET revoked_at = '2026-01-01T00:00:00.000Z', revoked_reason = 'admin' " +
        'WHERE user_id = (SELECT id FROM users WHERE email = ?)',
    )
    .run(email)

const nameField = (page: Page) => page.getByLabel('Your name', { exact: true })
const save = (page: Page) => page.getByRole('tabpanel').getByRole('button', { name: 'Save', exact: true }).click()
/** Whether or not another call has already told the page that its session is over, and a dialog lies above the button. */
const saveAnyway = (page: Page) =>
  page
    .getByRole('tabpanel', { includeHidden: true })
    .getByRole('button', { name: 'Save', exact: true, includeHidden: true })
    .dispatchEvent('click')
const heldDialog = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' })
const leaveDialog = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
const account = (page: Page, name: string) => page.getByRole('button', { name: `Account of ${name}` })

/** Without the live stream: only the calls of the page itself reveal a change. */
async function signIn(email: string, path = '/devices'): Promise<Page> {
  const page = await company.signIn(email, null)
  onTestFinished(() => leave(page))
  await page.route('**/api/v1/events*', (route) => route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' }))
  await page.goto(path)
  return page
}

/** The profile of this person with another name typed over the present one. */
async function typed(email: string, name: string): Promise<Page> {
  const page = await signIn(email, '/settings/profile')
  await nameField(page).fill(name)
  return page
}

async function person(name: string): Promise<string> {
  const email = `${name.toLowerCase()}@northwind.test`
  await company.hire({ name, email, role: 'Partner Admin' })
  return email
}

/** Replaces the cookie of the browser without informing its tabs. */
const becomeSilently = (page: Page, email: string) =>
  page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      const reply = await fetch('/api/v1/auth/login', { method: 'POST', headers, body: JSON.stringify(body) })
      if (!reply.ok) throw new Error(await reply.text())
    },
    { email, password },
  )

test('a form filled in by one person is never saved into the account of the next', async () => {
  const anna = await person('Anna')
  const bob = await person('Bob')
  const page = await typed(anna, 'Anna the First')
  const other = await page.context().newPage()
  await other.goto('/forgot-password')
  await becomeSilently(other, bob)
  revokeSessions(anna)
  await save(page)
  await page.waitForURL(/reason=another-person/)
  await page.getByText('Someone else is signed in in this browser now').waitFor()
  await look(page, 'another-person')
  expect([nameOf(anna), nameOf(bob)]).toEqual(['Anna', 'Bob'])
  await page.getByRole('link', { name: 'continue as that person' }).click()
  await account(page, 'Bob').waitFor()
})

test('a link that signs in somebody else asks first, and then informs the other tabs', async () => {
  const carla = await person('Carla')
  const page = await typed(carla, 'Carla the First')
  const registration = {
    companyName: 'Fabrikam',
    name: 'Dora',
    email: 'dora@fabrikam.test',
    password,
    acceptTerms: true,
  }
  await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/api/v1/auth/register-partner', { method: 'POST', headers, body: JSON.stringify(body) })
  }, registration)
  const mail = () => writtenMails(company.dataDir).find(({ to }) => to === registration.email)
  await expect.poll(mail).toBeDefined()
  const { pathname, search } = linkIn(mail() as NonNullable<ReturnType<typeof mail>>)
  const other = await page.context().newPage()
  await other.goto(pathname + search)
  await other.getByText(`You’re signed in as ${carla}`).waitFor()
  await look(other, 'link-over-a-session')
  await page.waitForTimeout(500)
  expect(page.url()).toContain('/settings/profile')
  await other.getByRole('button', { name: 'Continue' }).click()
  await other.getByRole('heading', { name: 'Welcome, Dora' }).waitFor()
  await page.waitForURL(/reason=another-person/)
})

test('when a session ends, the page and its input stay until its owner signs in again', async () => {
  const erik = await person('Erik')
  const page = await typed(erik, 'Erik the Red')
  revokeSessions(erik)
  await saveAnyway(page)
  await heldDialog(page).waitFor()
  await page.keyboard.press('Escape')
  await look(page, 'session-over')
  await heldDialog(page).getByLabel('Password', { exact: true }).fill(password)
  await heldDialog(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await heldDialog(page).waitFor({ state: 'hidden' })
  expect(await nameField(page).inputValue()).toBe('Erik the Red')
  await save(page)
  await expect.poll(() => nameOf(erik)).toBe('Erik the Red')
})

test('a sign-in in another tab resumes the waiting page and signs in a tab at the sign-in page', async () => {
  const frida = await person('Frida')
  const page = await typed(frida, 'Frida the Great')
  revokeSessions(frida)
  await saveAnyway(page)
  await heldDialog(page).waitFor()
  const waiting = await page.context().newPage()
  await waiting.goto('/login?next=%2Forganizations')
  await waiting.getByLabel('Password', { exact: true }).waitFor()
  await enter(await page.context().newPage(), frida)
  await heldDialog(page).waitFor({ state: 'hidden' })
  expect(await nameField(page).inputValue()).toBe('Frida the Great')
  await waiting.waitForURL('**/organizations')
})

test('when another person signs in at the waiting page, the input is dropped', async () => {
  const gerd = await person('Gerd')
  const hanna = await person('Hanna')
  const page = await typed(gerd, 'Gerd the Secret')
  revokeSessions(gerd)
  await saveAnyway(page)
  await heldDialog(page).getByLabel('Email', { exact: true }).fill(hanna)
  await heldDialog(page).getByLabel('Password', { exact: true }).fill(password)
  await heldDialog(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await account(page, 'Hanna').waitFor()
  await page.goto('/settings/profile')
  await expect.poll(() => nameField(page).inputValue()).toBe('Hanna')
  expect([nameOf(gerd), nameOf(hanna)]).toEqual(['Gerd', 'Hanna'])
})

test('the waiting page can be abandoned, and a page without input does not wait', async () => {
  const ida = await person('Ida')
  const page = await typed(ida, 'Ida B')
  revokeSessions(ida)
  await saveAnyway(page)
  await heldDialog(page).getByRole('button', { name: 'Leave without saving' }).click()
  await page.waitForURL(/reason=session-expired/)
  await expect.poll(() => heldDialog(page).count()).toBe(0)
  const clean = await signIn(ida)
  await account(clean, 'Ida').waitFor()
  revokeSessions(ida)
  await openFromSettings(clean, 'Enrollment keys')
  await clean.waitForURL(/reason=session-expired/)
})

test('a link followed during the redirect to the sign-in still shows there why the session ended', async () => {
  const kim = await person('Kim')
  const page = await signIn(kim)
  await account(page, 'Kim').waitFor()
  const signInPage = Promise.withResolvers<void>()
  await page.route('**/assets/login-page*', async (route) => {
    await signInPage.promise
    await route.continue()
  })
  revokeSessions(kim)
  const refused = page.waitForResponse((response) => response.status() === 401)
  await openFromSettings(page, 'Enrollment keys')
  await refused
  await page.getByRole('link', { name: 'Organizations', exact: true }).click()
  signInPage.resolve()
  await page.waitForURL(/reason=session-expired/)
})

test('signing out drops the unsaved input of every tab', async () => {
  const jan = await person('Jan')
  const page = await typed(jan, 'Jan K')
  const other = await page.context().newPage()
  await other.goto('/organizations')
  await account(other, 'Jan').click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/reason=signed-out/)
  expect(await heldDialog(page).count()).toBe(0)
})

test('leaving a page asks only about unsaved input', async () => {
  const page = await typed(ada.email, 'Ada Lovelace')
  const devices = page.getByRole('link', { name: 'Devices', exact: true })
  await page.getByRole('tab', { name: 'Security' }).click()
  await page.getByRole('tab', { name: 'Profile' }).click()
  expect(await nameField(page).inputValue()).toBe('Ada Lovelace')
  await devices.click()
  await leaveDialog(page).waitFor()
  await look(page, 'leave-without-saving')
  await leaveDialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await nameField(page).inputValue()).toBe('Ada Lovelace')

  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await expect.poll(() => nameField(page).inputValue()).toBe(ada.name)

  await devices.click()
  await account(page, ada.name).click()
  await page.getByRole('menuitem', { name: 'Your profile' }).click()
  await nameField(page).fill('Ada Lovelace')
  await page.goBack()
  await leaveDialog(page).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/devices**')
  await page.getByRole('link', { name: 'Organizations' }).click()
  await page.waitForURL('**/organizations')

  await page.goto('/settings/profile')
  await nameField(page).fill('Ada L')
  await save(page)
  await noticeAppears(page, 'Name saved')
  await devices.click()
  await page.waitForURL('**/devices**')
  expect(asked).toEqual(['beforeunload'])
})

test('tabs of the messages page keep their input, and a saved form is left without a question', async () => {
  const page = await company.signIn(ada.email, '/system/mail?tab=text-messages')
  onTestFinished(() => leave(page))
  await page.getByLabel('Account SID').fill('AC-half')
  await page.getByRole('tab', { name: 'Outgoing email' }).click()
  await page.getByRole('tab', { name: 'Text messages' }).click()
  expect(await page.getByLabel('Account SID').inputValue()).toBe('AC-half')
  await page.getByRole('tab', { name: 'Outgoing email' }).click()
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await leaveDialog(page).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/devices**')

  await page.goto('/organizations?create=organization')
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Contoso')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/organizations\/[0-9a-f-]{36}/)
  expect(await leaveDialog(page).count()).toBe(0)
})
