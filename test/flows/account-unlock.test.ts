import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { checkUnlockLink, resetPassword, unlockAccount } from '../../shared/api/passwords.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailsOf, tokenIn, type WrittenMail } from '../helpers/mail.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { attack, Browser, lockEnv, wrong } from './lock-kit.ts'

/** The mail about a locked account has a link that unlocks it. */

const minute = 60_000
const unlockTokenIn = ({ text }: WrittenMail): string => /\/unlock-account\?token=([\w-]+)$/m.exec(text)?.[1] ?? ''

async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...lockEnv, ...env } })
  const admin = await bootstrapped(app)
  const eve = await person(app, { email: 'eve@x.test', scope: 'partner', partnerId: admin.partnerId })
  const browser = new Browser(app)
  const close = () => app[Symbol.asyncDispose]()
  return { app, admin, eve, browser, [Symbol.asyncDispose]: close }
}

/** The newest mail about a locked account, with its links. */
async function lockMail(app: TestApp) {
  const mail = (await mailsOf(app)).filter(({ kind }) => kind === 'account-locked').at(-1) as WrittenMail
  return { mail, token: unlockTokenIn(mail), resetToken: tokenIn(mail) }
}
const check = (app: TestApp, token: string, remoteAddress = '127.0.0.1') =>
  app.call(checkUnlockLink, { body: { token } }, { remoteAddress })
const unlock = (app: TestApp, token: string, remoteAddress = '127.0.0.1') =>
  app.call(unlockAccount, { body: { token } }, { remoteAddress })
const dead = [400, 'invalid_unlock_link']
const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]

test('the link in the mail unlocks the account once, and checking the link changes nothing', async () => {
  await using one = await scene()
  const { app, admin, eve, browser } = one
  await attack(app, eve.email)
  const { mail, token } = await lockMail(app)
  expect([mail.to, mail.text.includes('locked for 15 minutes, until 1 March 2026 at 09:15 UTC')]).toEqual([
    eve.email,
    true,
  ])
  expect(app.db.serialize().includes(token), 'kept nowhere').toBe(false)
  for (let n = 0; n < 3; n++) {
    const { status, body, cookies } = await check(app, token)
    expect([status, body, cookies]).toEqual([200, { email: eve.email }, []])
  }
  expect(await browser.signIn(eve.email)).toBe(401)
  const unlocked = await unlock(app, token)
  expect([unlocked.status, unlocked.body.success]).toEqual([200, true])
  expect(
    unlocked.cookies.map(({ name }) => name),
    'nobody is signed in by it',
  ).toEqual(['svc_known_browser'])
  expect(await browser.signIn(eve.email)).toBe(200)
  for (const again of [await check(app, token), await unlock(app, token)]) expect(codes(again)).toEqual(dead)
  expect(auditOf(app, 'user.locked')).toMatchObject([{ resource_id: eve.id, partner_id: admin.partnerId }])
  expect(auditOf(app, 'user.unlocked')).toMatchObject([
    { resource_id: eve.id, partner_id: admin.partnerId, result: 'success', details: { browser: 'unknown' } },
  ])
})

test('the browser that unlocked keeps a count of its own, so that guesses elsewhere do not lock it again', async () => {
  await using one = await scene()
  const { app, eve, browser } = one
  await attack(app, eve.email)
  browser.jar.take(await unlock(app, (await lockMail(app)).token))
  await attack(app, eve.email)
  expect(await new Browser(app).signIn(eve.email)).toBe(401)
  expect(await browser.signIn(eve.email)).toBe(200)
})

test('the link works as long as the lock, and only for the address it was sent to', async () => {
  await using one = await scene()
  const { app, eve } = one
  const set = (values: object) => app.db.run(q.updateTable('users').set(values).where('id', '=', eve.id))
  await attack(app, eve.email)
  const { token } = await lockMail(app)
  set({ email: 'moved@x.test' })
  expect(codes(await check(app, token))).toEqual(dead)
  set({ email: eve.email, status: 'disabled' })
  expect(codes(await unlock(app, token))).toEqual(dead)
  set({ status: 'active' })
  app.clock.advance(15 * minute - 1)
  expect((await check(app, token)).status).toBe(200)
  app.clock.advance(1)
  for (const late of [await check(app, token), await unlock(app, token)]) expect(codes(late)).toEqual(dead)
  const events = auditOf(app, 'user.unlocked')
  expect([codes(await unlock(app, 'nonsense')), events]).toEqual([dead, []])
})

test('the reset link in the same mail still works, and ends the unlock link', async () => {
  await using one = await scene()
  const { app, eve, browser } = one
  await attack(app, eve.email)
  const { token, resetToken } = await lockMail(app)
  const body = { token: resetToken, password: 'Another1Horse' }
  expect((await app.call(resetPassword, { body })).status).toBe(200)
  expect(codes(await unlock(app, token))).toEqual(dead)
  expect(await browser.signIn(eve.email, 'Another1Horse')).toBe(200)
})

test('after three unlocks in an hour the link answers 429 and the lock holds', async () => {
  await using one = await scene()
  const { app, eve, browser } = one
  for (let n = 0; n < 3; n++) {
    await attack(app, eve.email)
    expect((await unlock(app, (await lockMail(app)).token)).status).toBe(200)
  }
  await attack(app, eve.email)
  const { token } = await lockMail(app)
  const before = app.rowCounts()
  const refused = await unlock(app, token)
  expect([refused.status, refused.body.code, refused.cookies]).toEqual([429, 'rate_limited', []])
  expect(app.rowCounts()).toEqual(before)
  expect([(await check(app, token)).status, await browser.signIn(eve.email)]).toEqual([200, 401])
  expect(auditOf(app, 'user.unlocked')).toHaveLength(3)
})

test('an address can check thirty links in five minutes', async () => {
  await using one = await scene()
  const { app } = one
  const statuses = []
  for (let n = 0; n < 31; n++) statuses.push((await (n % 2 ? check(app, 'x') : unlock(app, 'x'))).status)
  expect(statuses).toEqual([...Array(30).fill(400), 429])
  expect((await check(app, 'x', '10.0.0.9')).status).toBe(400)
})

test('of five simultaneous uses of one link, one unlocks', async () => {
  await using one = await scene()
  const { app, eve } = one
  await attack(app, eve.email)
  const { token } = await lockMail(app)
  const answers = await Promise.all(Array.from({ length: 5 }, () => unlock(app, token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  expect(auditOf(app, 'user.unlocked')).toHaveLength(1)
})

test('the link of a known browser that was locked unlocks that browser only', async () => {
  await using one = await scene()
  const { app, eve, browser } = one
  await browser.signIn(eve.email)
  for (let n = 0; n < 5; n++) await browser.signIn(eve.email, wrong)
  const { token } = await lockMail(app)
  await attack(app, eve.email, 4)
  expect((await unlock(app, token)).status).toBe(200)
  expect(auditOf(app, 'user.unlocked')).toMatchObject([{ details: { browser: 'known' } }])
  await attack(app, eve.email, 1)
  expect(await new Browser(app).signIn(eve.email), 'the count of all others went on').toBe(401)
  expect(await browser.signIn(eve.email, password)).toBe(200)
})
