import type { Updateable } from 'kysely'
import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import type { UserTable } from '../../server/features/access/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { login } from '../../shared/api/auth.ts'
import { listUsers } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { listSites } from '../../shared/api/sites.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailRows } from '../helpers/mail.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** The windows use the clock of the database, which is the real one. */
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()
const daysFromNow = (at: string | null | undefined) => (at ? Math.round((Date.parse(at) - Date.now()) / day) + 0 : null)

const forced = { MFA_FORCE_FOR_PARTNER_ADMIN: 'true', HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
const settle = (app: TestApp, partnerId: string, security: object) =>
  setPartner(app, partnerId, { settings: toJson({ security }) })

const rowOf = (app: TestApp, id: string) =>
  app.db.first(
    q
      .selectFrom('users')
      .select([
        'mfa_enrollment_grace_granted_at as granted',
        'mfa_enrollment_deadline as deadline',
        'mfa_enrollment_notice_sent_at as noticed',
        'mfa_enrollment_reminded_at as reminded',
      ])
      .where('id', '=', id),
  )
const setUser = (app: TestApp, id: string, values: Updateable<UserTable>) =>
  app.db.run(q.updateTable('users').set(values).where('id', '=', id))
const mails = (app: TestApp, to: string) =>
  mailRows(app.db)
    .filter(({ kind, recipient }) => recipient === to && kind.startsWith('mfa-window'))
    .map(({ kind, data, expires_at }) => ({ kind, data, expires_at }))
const kinds = (app: TestApp, to: string) => mails(app, to).map(({ kind }) => kind)
const remind = (app: TestApp) => app.app.jobs.runNow('mfa.remind')

/** An appliance that forces factors for roles, and a user without a factor and without a window. */
async function scene(security: object = {}, env: Record<string, string> = forced) {
  const app = await testApp({ env, logs: true })
  const admin = await bootstrapped(app)
  settle(app, admin.partnerId, security)
  const eve = await person(app, {
    email: 'eve@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  const give = (role: string) =>
    app.db.run(
      q
        .updateTable('partner_users')
        .set({ role_id: findBuiltInRole(app.db, role, 'partner') as string })
        .where('user_id', '=', eve.id),
    )
  const works = async () => (await app.call(listSites, {}, { token: eve.token })).status
  const me = async () => (await app.call(usersMe, {}, { token: eve.token })).body.mfaEnrollment
  return { app, admin, eve, give, works, me, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('a role that forces a factor opens a window of two weeks at the first request, announced by one mail', async () => {
  await using one = await scene()
  const { app, eve, give, works, me } = one
  expect([await works(), rowOf(app, eve.id)?.deadline]).toEqual([200, null])
  give('Partner Admin')
  expect(await works()).toBe(200)
  const { granted, deadline, noticed, reminded } = rowOf(app, eve.id) ?? {}
  expect([daysFromNow(granted), daysFromNow(deadline)]).toEqual([0, 14])
  expect([Boolean(noticed), reminded]).toEqual([true, null])
  expect(await me()).toEqual({ required: false, status: 'active', deadline })
  const [mail] = mails(app, eve.email)
  expect([mail?.kind, JSON.parse(mail?.data ?? '{}')]).toEqual(['mfa-window-opened', { name: eve.email, deadline }])
  await remind(app)
  expect(kinds(app, eve.email), 'not again').toEqual(['mfa-window-opened'])
})

test('a sign-in reports the deadline, and after it that enrollment is required', async () => {
  await using one = await scene()
  const { app, eve, give, works, me } = one
  give('Partner Admin')
  const signIn = async () => (await app.call(login, { body: { email: eve.email, password } })).body
  const first = await signIn()
  expect(first).toMatchObject({ mfaEnrollmentRequired: false, mfaEnrollmentDeadline: rowOf(app, eve.id)?.deadline })
  expect(first.enrollUrl).toBe(undefined)
  setUser(app, eve.id, { mfa_enrollment_grace_granted_at: inDays(-15), mfa_enrollment_deadline: inDays(-1) })
  expect(await signIn()).toMatchObject({ mfaEnrollmentRequired: true, enrollUrl: '/auth/mfa/setup' })
  expect(await works()).toBe(428)
  expect(await me()).toMatchObject({ required: true, status: 'expired' })
})

test('only a shorter setting moves the deadline', async () => {
  await using one = await scene()
  const { app, admin, eve, give, works, me } = one
  give('Partner Admin')
  await works()
  const stored = rowOf(app, eve.id)
  await app.call(login, { body: { email: eve.email, password } })
  give('Partner Viewer')
  expect((await me()).status).toBe('none')
  give('Partner Admin')
  await works()
  settle(app, admin.partnerId, { mfaEnrollmentGraceDays: 30 })
  expect(await me()).toMatchObject({ status: 'active', deadline: stored?.deadline })
  expect(rowOf(app, eve.id)).toEqual(stored)
  settle(app, admin.partnerId, { mfaEnrollmentGraceDays: 2 })
  expect(daysFromNow((await me()).deadline)).toBe(2)
  settle(app, admin.partnerId, { mfaEnrollmentGraceDays: 0 })
  expect(await works()).toBe(428)
  settle(app, admin.partnerId, {})
  expect(await works()).toBe(200)
  expect(rowOf(app, eve.id)).toEqual(stored)
})

test('with the variable switched off a role opens no window, and an earlier window is kept', async () => {
  await using off = await scene({}, { MFA_FORCE_FOR_PARTNER_ADMIN: 'false' })
  off.give('Partner Admin')
  expect([await off.works(), rowOf(off.app, off.eve.id)?.deadline]).toEqual([200, null])
  setUser(off.app, off.eve.id, { mfa_enrollment_grace_granted_at: inDays(-15), mfa_enrollment_deadline: inDays(-1) })
  const stored = rowOf(off.app, off.eve.id)
  expect(await off.works(), 'the role alone does nothing').toBe(200)
  await off.app.call(login, { body: { email: off.eve.email, password } })
  expect(rowOf(off.app, off.eve.id), 'kept for when it is switched on again').toEqual(stored)
  settle(off.app, off.admin.partnerId, { requireMfa: true })
  expect(await off.works(), 'the settings do').toBe(428)
  await using without = await scene({ requireMfa: true }, { ...forced, ENABLE_2FA: 'false' })
  without.give('Partner Admin')
  expect(await without.works(), 'nobody can enrol on an appliance without factors').toBe(200)
})

test('no window opens for a user who has held a factor or whom the settings require to have one', async () => {
  await using one = await scene()
  const { app, eve, give, works, me } = one
  give('Partner Admin')
  setUser(app, eve.id, { mfa_epoch: 2 })
  app.db.run(q.updateTable('sessions').set({ mfa_epoch: 2 }).where('user_id', '=', eve.id))
  expect([await works(), rowOf(app, eve.id)?.deadline]).toEqual([428, null])
  expect(await me()).toEqual({ required: true, status: 'none', deadline: null })
  await using two = await scene({ requireMfa: true })
  two.give('Partner Admin')
  expect([await two.works(), rowOf(two.app, two.eve.id)?.deadline]).toEqual([428, null])
  expect(kinds(two.app, two.eve.email)).toEqual([])
})

test('with a window of zero days enrollment is required at once, without mail', async () => {
  await using one = await scene({ mfaEnrollmentGraceDays: 0 })
  const { app, eve, give, works } = one
  give('Partner Admin')
  expect(await works()).toBe(428)
  const { granted, deadline } = rowOf(app, eve.id) ?? {}
  expect([Boolean(granted), deadline]).toEqual([true, granted])
  await remind(app)
  expect(kinds(app, eve.email)).toEqual([])
})

test('a window too short for two mails sends only the reminder', async () => {
  await using one = await scene({ mfaEnrollmentGraceDays: 3 })
  const { app, eve, give, works } = one
  give('Partner Admin')
  expect(await works()).toBe(200)
  expect(kinds(app, eve.email)).toEqual(['mfa-window-reminder'])
  const { noticed, reminded } = rowOf(app, eve.id) ?? {}
  expect([Boolean(noticed), Boolean(reminded)]).toEqual([true, true])
  await remind(app)
  expect(kinds(app, eve.email)).toHaveLength(1)
})

test('the reminder is sent once, three days before the end, with the effective deadline', async () => {
  await using one = await scene()
  const { app, admin, eve, give, works } = one
  give('Partner Admin')
  await works()
  const at = (days: number) =>
    setUser(app, eve.id, { mfa_enrollment_grace_granted_at: inDays(days - 14), mfa_enrollment_deadline: inDays(days) })
  at(3.1)
  await remind(app)
  expect(kinds(app, eve.email)).toEqual(['mfa-window-opened'])
  at(2.9)
  await remind(app)
  await remind(app)
  expect(kinds(app, eve.email)).toEqual(['mfa-window-opened', 'mfa-window-reminder'])

  // A shorter setting moves the end closer.
  setUser(app, eve.id, { mfa_enrollment_reminded_at: null })
  at(10)
  settle(app, admin.partnerId, { mfaEnrollmentGraceDays: 6 })
  await remind(app)
  const last = mails(app, eve.email).at(-1)
  expect([last?.kind, daysFromNow(JSON.parse(last?.data ?? '{}').deadline)]).toEqual(['mfa-window-reminder', 2])
})

test('the job sends the announcement that was never sent', async () => {
  await using one = await scene()
  const { app, eve, give } = one
  give('Partner Admin')
  setUser(app, eve.id, { mfa_enrollment_grace_granted_at: inDays(-1), mfa_enrollment_deadline: inDays(13) })
  await remind(app)
  await remind(app)
  expect(kinds(app, eve.email)).toEqual(['mfa-window-opened'])
})

test.each<[string, (one: Awaited<ReturnType<typeof scene>>) => unknown]>([
  ['lost the role', ({ give }) => give('Partner Viewer')],
  ['must enrol by the settings now', ({ app, admin }) => settle(app, admin.partnerId, { requireMfa: true })],
  ['is disabled', ({ app, eve }) => setUser(app, eve.id, { status: 'disabled' })],
  ['holds a factor', ({ app, eve }) => setUser(app, eve.id, { mfa_enabled: 1, mfa_method: 'totp' })],
  ['had one reset', ({ app, eve }) => setUser(app, eve.id, { mfa_epoch: 3 })],
  ['belongs nowhere', ({ app, eve }) => app.db.run(q.deleteFrom('partner_users').where('user_id', '=', eve.id))],
])('no reminder goes to a user who %s', async (_, change) => {
  await using one = await scene()
  const { app, eve, give } = one
  give('Partner Admin')
  setUser(app, eve.id, { mfa_enrollment_grace_granted_at: inDays(-12), mfa_enrollment_deadline: inDays(2) })
  change(one)
  await remind(app)
  expect(kinds(app, eve.email)).toEqual([])
  expect(rowOf(app, eve.id)).toMatchObject({ noticed: null, reminded: null })
})

test('a window that ended unannounced is logged once and never mailed', async () => {
  await using one = await scene()
  const { app, eve, give } = one
  give('Partner Admin')
  setUser(app, eve.id, { mfa_enrollment_grace_granted_at: inDays(-15), mfa_enrollment_deadline: inDays(-1) })
  await remind(app)
  await remind(app)
  const told = app.logLines.filter((line) => line.includes('The time for enrolling') && line.includes(eve.id))
  expect(told).toHaveLength(1)
  expect(kinds(app, eve.email)).toEqual([])
})

test('listing users opens no window', async () => {
  await using one = await scene()
  const { app, eve, give } = one
  give('Partner Admin')
  const { body } = await app.call(listUsers, {}, { token: await adminToken(app) })
  expect(body.data.find(({ id }) => id === eve.id)).toMatchObject({ mfaStatus: 'pending', mfaEnrollmentDeadline: null })
  expect(rowOf(app, eve.id)?.deadline).toBe(null)
})

const adminToken = async (app: TestApp) =>
  (await app.call(login, { body: { email: 'ada@acme.test', password } })).body.tokens?.accessToken as string
