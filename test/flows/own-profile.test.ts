import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { stepUp } from '../../shared/api/mfa.ts'
import { updateOwnPartner } from '../../shared/api/partners.ts'
import { updateMe, usersMe } from '../../shared/api/profile.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { bootstrapped, organizationOf, password, person, signIn } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, withFactor } from './kit.ts'

type Body = BodyOf<typeof updateMe>
const update = (app: TestApp, token: string, body: Body) => app.call(updateMe, { body }, { token })
const newEmail = 'lovelace@acme.test'

test('name and preferences change at once, preferences are merged and unknown keys kept', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  await update(app, admin.token, { preferences: { theme: 'dark', columns: ['a'] } })
  const { status, body } = await update(app, admin.token, {
    name: ' Ada L. ',
    preferences: { columns: null, density: 'compact' },
  })
  expect([status, body]).toMatchObject([
    200,
    { id: admin.userId, name: 'Ada L.', email: admin.email, verificationSent: false },
  ])
  expect(body.preferences).toEqual({ bootstrapSetupRequired: true, theme: 'dark', columns: null, density: 'compact' })
  expect(body).not.toHaveProperty('pendingEmail')
  const me = await app.call(usersMe, {}, { token: admin.token })
  expect(me.body).toMatchObject({ name: 'Ada L.', preferences: body.preferences })
  const changed = auditOf(app, 'user.profile.update').map(({ details }) => JSON.parse(details) as object)
  expect(changed).toEqual([
    { changedFields: ['preferences'] },
    { changedFields: ['name', 'preferences'], before: { name: 'Ada Admin' }, after: { name: 'Ada L.' } },
  ])
})

test('changing the address is recorded as a profile edit, together with a name as a single one', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const edits = () => auditOf(app, 'user.profile.update').map(({ details }) => JSON.parse(details) as object)
  await update(app, admin.token, { email: newEmail, currentPassword: password })
  expect(edits()).toEqual([{ changedFields: ['email'] }])
  await update(app, admin.token, { email: 'countess@acme.test', name: 'Ada L.', currentPassword: password })
  const both = { changedFields: ['name', 'email'], before: { name: 'Ada Admin' }, after: { name: 'Ada L.' } }
  expect(edits().slice(1)).toEqual([both])
  expect(auditOf(app, 'user.email.change.requested')).toHaveLength(2)
})

test('a change to the present values is accepted without an audit event', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  for (const body of [{ preferences: null }, { name: 'Ada Admin' }, { email: 'ADA@acme.test ' }] as Body[])
    expect((await update(app, admin.token, body)).status).toBe(200)
  expect(auditOf(app, 'user.profile.update')).toEqual([])
})

test.each<[body: object, error: RegExp]>([
  [{}, /^No valid updates provided$/],
  [{ currentPassword: password }, /^No valid updates provided$/],
  [{ avatarUrl: 'https://x.test/a.png' }, /avatarUrl/],
  [{ name: 'Ada', status: 'active' }, /status/],
  [{ name: '' }, /name/],
  [{ preferences: { theme: 'pink' } }, /preferences.theme/],
  [{ preferences: { note: 'x'.repeat(65_536) } }, /64 KiB/],
  [{ email: 'nonsense' }, /email/],
])('%o is refused', async (body, error) => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const answer = await update(app, admin.token, body as Body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)])
  expect((await app.call(usersMe, {}, { token: admin.token })).body.name).toBe('Ada Admin')
})

test('merged preferences are limited in size', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  // The limit counts bytes: these are 40,000.
  const half = 'ü'.repeat(20_000)
  expect((await update(app, admin.token, { preferences: { a: half } })).status).toBe(200)
  expect((await update(app, admin.token, { preferences: { b: half } })).status).toBe(400)
  expect((await update(app, admin.token, { preferences: { a: 'y', b: half } })).status).toBe(200)
})

test('another address needs the password, and nothing is saved without it', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const before = app.rowCounts()
  const without = await update(app, admin.token, { email: newEmail, name: 'Eve' })
  expect([without.status, without.body.code]).toEqual([400, 'password_required'])
  const wrong = await update(app, admin.token, { email: newEmail, name: 'Eve', currentPassword: 'Wrong1Horse' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_credentials'])
  const { rate_limits: _, ...after } = app.rowCounts()
  // One event records the wrong password.
  expect({ ...before, audit_logs: Number(before.audit_logs) + 1 }).toMatchObject(after)
  expect((await app.call(usersMe, {}, { token: admin.token })).body).toMatchObject({
    name: 'Ada Admin',
    pendingEmail: null,
  })
})

test('a user with a factor must also show it to change the address', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { enabled, secret } = await withFactor(app, admin.token)
  const wanted = { email: newEmail, currentPassword: password }
  expect((await update(app, enabled.body.tokens.accessToken, wanted)).status).toBe(200)

  app.clock.advance(15 * 60_000)
  const { body: refreshed } = await refreshWith(app, new CookieJar().take(enabled))
  const token = refreshed.tokens?.accessToken as string
  const refused = await update(app, token, wanted)
  expect([refused.status, refused.body.error]).toEqual([403, 'existing_factor_step_up_required'])
  const grantFor = async (operation: 'change_email' | 'add_factor') => {
    app.clock.advance(60_000)
    const body = { method: 'totp', code: codeOf(app, secret), operation } as const
    return (await app.call(stepUp, { body }, { token })).body.stepUpGrantId
  }
  const [other, stepUpGrantId] = [await grantFor('add_factor'), await grantFor('change_email')]
  expect((await update(app, token, { ...wanted, stepUpGrantId: other })).status).toBe(403)
  for (const status of [200, 403]) expect((await update(app, token, { ...wanted, stepUpGrantId })).status).toBe(status)
})

test('a user who must still enrol a factor cannot change the address', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  setPartner(app, admin.partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  const { status, body } = await update(app, admin.token, { email: newEmail, currentPassword: password })
  expect([status, body]).toMatchObject([403, { error: 'mfa_enrollment_required', enrollUrl: '/auth/mfa/setup' }])
  expect((await update(app, admin.token, { name: 'Ada L.' })).status).toBe(200)
})

test('an account without password and factor cannot change its address', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('users').set({ password_hash: null }).where('id', '=', id))
  const { status, body } = await update(app, token, { email: newEmail })
  expect([status, body.code]).toEqual([403, 'email_change_needs_factor'])
})

test('confirmation mail to new addresses is limited to five', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const answers = []
  for (let n = 0; n < 6; n++)
    answers.push(await update(app, admin.token, { email: `stranger${n}@x.test`, currentPassword: password }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await signIn(app, admin.email)).toBeTruthy()
})

test('the time zone of the company is told once it has chosen one, to its organizations’ people too', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const inside = await person(app, { email: 'olaf@x.test', scope: 'organization', orgId: org.id })
  const zones = () =>
    Promise.all([admin, inside].map(async ({ token }) => (await app.call(usersMe, {}, { token })).body.partnerTimezone))
  expect(await zones()).toEqual([null, null])
  const body = { settings: { timezone: 'Asia/Tokyo' } }
  expect((await app.call(updateOwnPartner, { body }, { token: admin.token })).status).toBe(200)
  expect(await zones()).toEqual(['Asia/Tokyo', 'Asia/Tokyo'])
})
