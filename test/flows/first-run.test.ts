import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Updateable } from 'kysely'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole, promotePlatformAdmins } from '../../server/features/access/index.ts'
import type { UserTable } from '../../server/features/access/tables.ts'
import { login } from '../../shared/api/auth.ts'
import { acceptInvite } from '../../shared/api/invitations.ts'
import { inviteUser } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { bootstrap, bootstrapState, metrics, setupComplete } from '../../shared/api/system.ts'
import { bootstrapped, otherCompany, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'

const codeOf = (app: TestApp) => app.app.bootstrap.setupCode() as string
const wanted = { companyName: 'Acme GmbH & Co.', name: 'Ada', email: ' Ada@Acme.test', password }
const attempt = (app: TestApp, setupCode: string, rest: Partial<typeof wanted> = {}) =>
  app.call(bootstrap, { body: { setupCode, ...wanted, ...rest } })

test('the setup code creates the company and its first administrator, who is signed in', async () => {
  await using app = await testApp()
  expect((await app.call(bootstrapState)).body).toEqual({ needed: true })
  const { status, body, cookies } = await attempt(app, codeOf(app), { companyName: 'Müller & Töchter' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    user: { email: 'ada@acme.test', name: 'Ada', isPlatformAdmin: true },
    partner: { name: 'Müller & Töchter', slug: 'muller-tochter', status: 'active' },
    tokens: { expiresInSeconds: 900 },
  })
  expect(cookies.map(({ name }) => name)).toEqual(['svc_refresh_token', 'svc_csrf_token', 'svc_known_browser'])
  expect((await app.call(bootstrapState)).body).toEqual({ needed: false })
  expect(auditOf(app).map(({ action, partner_id }) => [action, partner_id])).toEqual([
    ['partner.create', body.partner.id],
    ['user.login', body.partner.id],
  ])
  expect(() => readFileSync(join(app.dataDir, 'setup-code'))).toThrow('ENOENT')
})

test('once the appliance is set up, any setup code answers 409 already_bootstrapped', async () => {
  await using app = await testApp()
  const code = codeOf(app)
  await attempt(app, code)
  const before = app.rowCounts()
  for (const again of [code, 'WRONG']) {
    const { status, body, cookies } = await attempt(app, again, { email: 'eve@evil.test' })
    expect([status, body.code, cookies]).toEqual([409, 'already_bootstrapped', []])
  }
  expect(app.app.bootstrap.setupCode()).toBeNull()
  expect(app.rowCounts()).toEqual(before)
})

test('a wrong code creates nothing, and after five of them a new code is made', async () => {
  await using app = await testApp()
  const code = codeOf(app)
  const before = app.rowCounts()
  for (let n = 0; n < 5; n++) expect((await attempt(app, 'AAAA-AAAA-AAAA-AAAA')).body.code).toBe('setup_code_invalid')
  expect((await attempt(app, code)).status).toBe(403)
  expect(app.rowCounts()).toEqual(before)
  expect((await attempt(app, codeOf(app))).status).toBe(201)
})

test('of ten simultaneous setups one wins, and the others leave nothing behind', async () => {
  await using app = await testApp()
  const code = codeOf(app)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => attempt(app, code, { email: `a${n}@acme.test`, companyName: `Acme ${n}` })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  expect(app.rowCounts()).toMatchObject({ users: 1, partners: 1, partner_users: 1, sessions: 1 })
  const winner = answers.find(({ status }) => status === 201)
  expect((await app.call(usersMe, {}, { token: winner?.body.tokens.accessToken })).body.requiresSetup).toBe(true)
})

test.each([
  ['short1A', 'at least 8'],
  ['alllower1', 'uppercase'],
  ['ALLUPPER1', 'lowercase'],
  ['NoDigitHere', 'digit'],
  [`Aa1${'x'.repeat(126)}`, 'at most 128'],
])('a weak password (%s) is refused before the code is checked', async (weak, why) => {
  await using app = await testApp()
  const { status, body } = await attempt(app, codeOf(app), { password: weak })
  expect(status).toBe(400)
  expect((body.details as { fieldErrors: Record<string, string[]> }).fieldErrors.password?.[0]).toContain(why)
  expect(app.rowCounts().users).toBe(0)
})

test('a common password is refused, and the code stays valid', async () => {
  await using app = await testApp()
  const code = codeOf(app)
  for (const weak of ['Password123', 'Acmegmbhco1']) {
    const { status, body } = await attempt(app, code, { password: weak })
    expect([status, body.code, body.error]).toEqual([400, 'validation_failed', expect.stringMatching(/^password: /)])
  }
  expect((await attempt(app, code)).status).toBe(201)
})

test('leaving the wizard is recorded once, and the wizard does not return', async () => {
  await using app = await testApp()
  const { token, email } = await bootstrapped(app)
  for (let n = 0; n < 2; n++) expect((await app.call(setupComplete, {}, { token })).body).toEqual({ success: true })
  expect(auditOf(app, 'user.setup.complete')).toHaveLength(1)
  const { body } = await app.call(usersMe, {}, { token })
  expect([body.requiresSetup, body.setupCompletedAt]).toEqual([false, new Date(app.clock.now()).toISOString()])
  expect((await app.call(login, { body: { email, password } })).body.requiresSetup).toBe(false)
})

test('a user who did not set the appliance up does not see the wizard', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { token } = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  expect((await app.call(usersMe, {}, { token })).body.requiresSetup).toBe(false)
})

const headless = { email: 'root@box.test', password: 'Sixteen letters 1', name: 'Root' }

test('the environment can create the first administrator, but only while there are no users', async () => {
  await using app = await testApp()
  await app.app.bootstrap.fromEnvironment({ ...headless, scope: 'partner' })
  await app.app.bootstrap.fromEnvironment({ ...headless, email: 'other@box.test', scope: 'partner' })
  expect(app.rowCounts()).toMatchObject({ users: 1, partners: 1 })
  const { body } = await app.call(login, { body: { email: headless.email, password: headless.password } })
  expect(body.user).toMatchObject({ name: 'Root', isPlatformAdmin: true })
  expect((await attempt(app, 'ANY')).body.code).toBe('already_bootstrapped')
  expect(auditOf(app, 'user.create')).toHaveLength(1)
})

test('a common password in the environment is refused', async () => {
  await using app = await testApp()
  const weak = { ...headless, password: 'Password12345678', scope: 'partner' as const }
  await expect(app.app.bootstrap.fromEnvironment(weak)).rejects.toThrow('BOOTSTRAP_ADMIN_PASSWORD: ')
  expect(app.rowCounts()).toMatchObject({ users: 0, partners: 0 })
  expect(app.app.bootstrap.isNeeded()).toBe(true)
})

test('the environment can create a system operator without a company', async () => {
  await using app = await testApp()
  await Promise.all([1, 2].map(() => app.app.bootstrap.fromEnvironment({ ...headless, scope: 'system' })))
  expect(app.rowCounts()).toMatchObject({ users: 1, partners: 0, partner_users: 0 })
  const { body } = await app.call(login, { body: { email: headless.email, password: headless.password } })
  expect((await app.call(usersMe, {}, { token: body.tokens?.accessToken })).body).toMatchObject({
    scope: 'system',
    partnerId: null,
    permissions: [{ resource: '*', action: '*' }],
    requiresSetup: false,
  })
})

test('listed platform admins are promoted once confirmed, nobody is demoted, and unknown addresses are ignored', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, {
    email: 'b@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    isVerified: false,
  })
  const isAdmin = async (who: string) => (await app.call(usersMe, {}, { token: who })).body.isPlatformAdmin
  const wanted = ['b@x.test', 'ghost@x.test']
  expect(promotePlatformAdmins(app.db, wanted), 'nobody has shown that they read its mail').toEqual(['b@x.test'])
  expect(await isAdmin(token)).toBe(false)
  const setUser = (values: Updateable<UserTable>) => app.db.run(q.updateTable('users').set(values).where('id', '=', id))
  setUser({ email_verified_at: '2026-03-01T09:00:00.000Z', status: 'invited' })
  expect(promotePlatformAdmins(app.db, wanted), 'nor is an account promoted before its owner has it').toHaveLength(1)
  setUser({ status: 'active' })
  for (let n = 0; n < 2; n++) expect(promotePlatformAdmins(app.db, wanted)).toEqual([])
  promotePlatformAdmins(app.db, [])
  for (const who of [token, admin.token]) expect(await isAdmin(who)).toBe(true)
  expect(app.rowCounts().users).toBe(2)
})

test('an invitation by another company does not confirm the address of a future platform admin', async () => {
  await using app = await testApp({ env: { EMAIL_PROVIDER: '', PLATFORM_ADMINS: 'root@x.test' } })
  await bootstrapped(app)
  const other = await otherCompany(app)
  const body = {
    email: 'root@x.test',
    name: 'R',
    roleId: findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string,
  }
  const { inviteUrl } = (await app.call(inviteUser, { body }, other.admin)).body
  expect(inviteUrl).toBeUndefined()
  expect(promotePlatformAdmins(app.db, ['root@x.test'])).toEqual(['root@x.test'])

  // A link shown before the address was listed does not confirm it either.
  const later = { ...body, email: 'later@x.test' }
  const shown = (await app.call(inviteUser, { body: later }, other.admin)).body.inviteUrl
  const token = new URL(shown ?? '').searchParams.get('token') ?? ''
  expect((await app.call(acceptInvite, { body: { token, password: 'Lantern-Orchard-42' } })).status).toBe(200)
  expect(promotePlatformAdmins(app.db, ['later@x.test'])).toEqual(['later@x.test'])
})

test('metrics are available to the appliance itself and to platform admins', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { token } = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  const from = async (remoteAddress: string, bearer?: string, headers = {}) =>
    (await app.call(metrics, {}, { remoteAddress, headers, ...(bearer && { token: bearer }) })).status
  expect([await from('127.0.0.1'), await from('::1'), await from('::ffff:127.0.0.1')]).toEqual([200, 200, 200])
  expect([await from('10.0.0.5'), await from('10.0.0.5', token), await from('10.0.0.5', admin.token)]).toEqual([
    401, 403, 200,
  ])
  for (const byProxy of [{ 'x-forwarded-for': '10.0.0.5' }, { 'x-real-ip': '10.0.0.5' }, { host: 'box.acme.test' }])
    expect(await from('127.0.0.1', undefined, byProxy), JSON.stringify(byProxy)).toBe(401)
})
