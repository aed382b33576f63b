import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { seedRoles } from '../../server/features/access/index.ts'
import { MailLinks } from '../../server/features/authentication/one-time-secrets/mail-links.ts'
import { OneTimeSecrets } from '../../server/features/authentication/one-time-secrets/one-time-secrets.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { publicConfig, register, registerPartner, verifyEmail } from '../../shared/api/registration.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailOf, mailsOf, mailToFiles, pendingRegistration, tokenIn } from '../helpers/mail.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { auditOf, CookieJar, refreshWith } from './kit.ts'

const wide = { ...mailToFiles, HOMEPORT_LIMIT_REGISTER_PARTNER: '0/60', HOMEPORT_LIMIT_VERIFY_EMAIL: '0/60' }
const wanted = {
  companyName: 'Grace & Sons',
  name: 'Grace',
  email: 'grace@sons.test',
  password,
  acceptTerms: true as const,
}

const ask = (app: TestApp, body: Partial<typeof wanted> = {}) =>
  app.call(registerPartner, { body: { ...wanted, ...body } })
const follow = (app: TestApp, token: string) => app.call(verifyEmail, { body: { token } })
const failures = (app: TestApp) =>
  auditOf(app, 'auth.email_verify_failed').map(({ details }) => (JSON.parse(details) as { reason: string }).reason)

/** Requests a registration; returns the token of the mailed link. */
async function linkFor(app: TestApp, body: Partial<typeof wanted> = {}): Promise<string> {
  await ask(app, body)
  const mails = (await mailsOf(app)).filter(({ kind }) => kind === 'verify-registration')
  return tokenIn(mails.at(-1) as (typeof mails)[number])
}

test('following the link creates a company and signs its administrator in', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const token = await linkFor(app)
  expect(app.rowCounts()).toMatchObject({ users: 1, partners: 1 })
  const answer = await follow(app, token)
  const { status, body } = answer
  expect([status, body]).toMatchObject([
    200,
    {
      verified: true,
      user: { email: wanted.email, name: 'Grace', mfaEnabled: false, isPlatformAdmin: false },
      partner: { name: 'Grace & Sons', slug: 'grace-sons', status: 'active' },
      mfaRequired: false,
      tokens: { expiresInSeconds: 900 },
      mfaEnrollmentRequired: false,
    },
  ])
  if (body.purpose !== 'registration') throw new Error(body.purpose)
  const partnerId = body.partner.id
  const bearer = { token: body.tokens.accessToken }
  expect((await app.call(usersMe, {}, bearer)).body).toMatchObject({
    scope: 'partner',
    partnerId,
    emailVerified: true,
    requiresSetup: false,
    permissions: [{ resource: '*', action: '*' }],
    canManagePartnerWide: true,
  })
  expect((await refreshWith(app, new CookieJar().take(answer))).status).toBe(200)
  expect((await app.call(login, { body: { email: wanted.email, password } })).status).toBe(200)
  expect(app.db.first(q.selectFrom('partners').selectAll().where('id', '=', partnerId))).toMatchObject({
    type: 'msp',
    plan: 'free',
    billing_email: wanted.email,
  })
  const at = new Date(app.clock.now()).toISOString()
  expect(app.db.first(q.selectFrom('users').selectAll().where('id', '=', body.user.id))).toMatchObject({
    status: 'active',
    email_verified_at: at,
    last_login_at: at,
    setup_completed_at: at,
  })
  expect(app.rowCounts()).toMatchObject({ organizations: 0, sites: 0, one_time_secrets: 0 })
  const events = auditOf(app).filter(({ partner_id }) => partner_id === partnerId)
  expect(events.slice(0, 3).map(({ action }) => action)).toEqual([
    'partner.create',
    'auth.email_verified',
    'user.login',
  ])
  expect(admin.partnerId).not.toBe(partnerId)
})

test('a registrant gets a role of their own company that forces a factor, and seeding again leaves it alone', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const { body } = await follow(app, await linkFor(app))
  if (body.purpose !== 'registration') throw new Error(body.purpose)
  const own = q.selectFrom('roles').selectAll().where('partner_id', '=', body.partner.id)
  const role = app.db.first(own)
  expect(role).toMatchObject({ name: 'Partner Admin', scope: 'partner', is_system: 1, force_mfa: 1 })
  const id = role?.id as string
  app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', id))
  const before = app.rowCounts()
  seedRoles(app.db, new Date(app.clock.now()).toISOString())
  expect(app.rowCounts()).toEqual(before)
  expect(app.db.all(q.selectFrom('role_permissions').selectAll().where('role_id', '=', id))).toEqual([])
})

test('the forced factor of that role gives the registrant an enrollment window', async () => {
  await using app = await testApp({ env: { ...wide, MFA_FORCE_FOR_PARTNER_ADMIN: 'true' } })
  await bootstrapped(app)
  const { body } = await follow(app, await linkFor(app))
  if (body.purpose !== 'registration') throw new Error(body.purpose)
  expect([body.mfaEnrollmentRequired, typeof body.mfaEnrollmentDeadline]).toEqual([false, 'string'])
  expect((await app.call(authMe, {}, { token: body.tokens.accessToken })).status).toBe(200)
})

test('a taken address gets the same answer after the same time, and its owner a notice without a link', async () => {
  await using app = await testApp({ env: { ...wide, ...usualSignInFloor } })
  const admin = await bootstrapped(app)
  const answers = new Set<string>()
  for (const email of [wanted.email, admin.email.toUpperCase()]) {
    const startedAt = performance.now()
    const { status, body, headers } = await ask(app, { email })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(345)
    answers.add(JSON.stringify([status, body, { ...headers, date: '' }]))
  }
  expect([...answers]).toHaveLength(1)
  expect([...answers][0]).toMatch(/^\[200,{"success":true,"message":/)
  const notice = await mailOf(app, 'registration-attempted')
  expect(notice.to).toBe(admin.email)
  expect(`${notice.text} ${notice.html}`).not.toMatch(/token=/)
  expect(
    app.db.statement("SELECT count(*) FROM one_time_secrets WHERE kind = 'pending_registration'").pluck().get(),
  ).toBe(1)
})

test('stored rows contain neither the password nor the token of the link in plain text', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  await app.app.tasks.stop()
  await ask(app)
  const waiting = JSON.stringify(
    ['tasks', 'one_time_secrets'].map((table) => app.db.statement(`SELECT * FROM ${table}`).all()),
  )
  expect(waiting).not.toContain(password)
  expect(waiting).toContain('$argon2id$')
  app.app.tasks.start()
  const token = tokenIn(await mailOf(app, 'verify-registration'))
  expect(token).toHaveLength(43)
  for (const secret of [token, password]) expect(app.db.serialize().includes(secret)).toBe(false)
  await follow(app, token)
  for (const secret of [token, password]) expect(app.db.serialize().includes(secret)).toBe(false)
})

test('the link works once, and of ten simultaneous uses one wins', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const token = await linkFor(app)
  const answers = await Promise.all(Array.from({ length: 10 }, () => follow(app, token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  expect(app.rowCounts()).toMatchObject({ users: 2, partners: 2, partner_users: 2 })
  const { status, body } = await follow(app, token)
  expect([status, body.error]).toEqual([400, 'Invalid or expired verification link'])
})

test('all invalid links get the same answer, and the log records the reason', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const expired = await linkFor(app)
  app.clock.advance(3_600_000)
  const answers = new Set<string>()
  for (const token of [expired, 'x', 'x'.repeat(200)]) {
    const { status, body, headers, cookies } = await follow(app, token)
    const { date: _, 'x-request-id': __, ...rest } = headers
    answers.add(JSON.stringify([status, body, rest, cookies]))
  }
  expect([...answers]).toHaveLength(1)
  expect(failures(app)).toEqual(['unknown', 'unknown', 'unknown'])
})

test('an address that has an account by the time of the link is sent to the sign-in', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const [first, second] = [await linkFor(app), await linkFor(app, { companyName: 'Second' })]
  const answers = await Promise.all([follow(app, first), follow(app, second)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const bodies = answers.map(({ body }) => body)
  expect(bodies.find(({ verified }) => !verified)).toMatchObject({ verified: false, status: 'sign_in' })
  expect(app.rowCounts()).toMatchObject({ users: 2, partners: 2 })
  for (const token of [first, second]) expect((await follow(app, token)).status).toBe(400)
})

test('companies with the same name get a numbered slug up to a hundred, then the link stays valid', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const partner = app.db.first(q.selectFrom('partners').selectAll().where('id', '=', admin.partnerId))
  if (!partner) throw new Error('no partner')
  const slugs = ['acme', ...Array.from({ length: 100 }, (_, n) => `acme-${n + 1}`)]
  const take = (slug: string) =>
    app.db.run(q.insertInto('partners').values({ ...partner, id: `p-${slug}`, slug: slug.toUpperCase() }))
  for (const slug of slugs.slice(1, 100)) take(slug)
  const next = await follow(app, await linkFor(app, { companyName: ' ACME ' }))
  expect(next.body).toMatchObject({ partner: { slug: 'acme-100' } })
  const before = app.rowCounts()
  const token = await linkFor(app, { companyName: 'acme!', email: 'other@sons.test' })
  const { status, body } = await follow(app, token)
  expect([status, body.error]).toEqual([500, 'Unable to generate unique company identifier'])
  expect(app.rowCounts()).toMatchObject({ users: before.users, partners: before.partners })
  app.db.run(q.deleteFrom('partners').where('id', '=', 'p-acme-7'))
  expect((await follow(app, token)).body).toMatchObject({ partner: { slug: 'acme-7' } })
})

test.each([
  ['Größe & Söhne — GmbH', 'grosse-sohne-gmbh'],
  ['株式会社', 'partner'],
  [`${'long name '.repeat(20)}`, 'long-name-long-name-long-name-long-name-long-name'],
])('the name %s becomes the slug %s', async (companyName, slug) => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  expect((await follow(app, await linkFor(app, { companyName }))).body).toMatchObject({ partner: { slug } })
})

test('three registrations an hour per address, five of the legacy kind, then 429', async () => {
  await using app = await testApp({ env: mailToFiles })
  await bootstrapped(app)
  const asked = await Promise.all([1, 2, 3, 4].map((n) => ask(app, { email: `a${n}@sons.test` })))
  expect(asked.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
  expect(asked.find(({ status }) => status === 429)?.body).toMatchObject({
    error: 'Too many registration attempts. Try again later.',
    retryAfter: 3600,
  })
  const old = { email: wanted.email, password, name: 'Grace' }
  const askedOld = await Promise.all(Array.from({ length: 6 }, () => app.call(register, { body: old })))
  expect(askedOld.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429])
})

test('the legacy registration gives the same answer and creates nothing', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const before = app.rowCounts()
  const { body } = await app.call(register, { body: { email: wanted.email, password, name: 'Grace' } })
  const { rate_limits: _, ...after } = app.rowCounts()
  expect(before).toMatchObject(after)
  expect(body).toEqual((await ask(app)).body)
})

test('a refused registration names only the first error', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  for (const [change, error] of [
    [{ password: 'short', email: 'x' }, 'Invalid email address'],
    [{ password: 'short' }, 'Password must be at least 8 characters'],
    [{ password: 'Password123' }, expect.stringContaining('common words')],
    [{ password: 'Zumkeller1', companyName: 'Zumkeller' }, expect.stringContaining('your company')],
    [{ acceptTerms: false as never }, 'The terms must be accepted'],
  ] as const) {
    const { status, body } = await ask(app, change)
    expect([status, body.error]).toEqual([400, error])
  }
  expect(app.db.statement('SELECT count(*) FROM rate_limits').pluck().get()).toBe(0)
})

test('operators are mailed about a new company once it exists, and not before', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const operator = await person(app, { email: 'op@x.test', scope: 'system' })
  const gone = await person(app, { email: 'gone@x.test', scope: 'system' })
  await person(app, { email: 'ann@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', gone.id))
  const news = async () => (await mailsOf(app)).filter(({ kind }) => kind === 'company-registered')
  const [token, second] = [await linkFor(app), await linkFor(app, { companyName: 'Second' })]
  expect(await news()).toEqual([])
  await Promise.all([follow(app, token), follow(app, token), follow(app, second)])
  const told = await news()
  expect(told.map(({ to }) => to).sort()).toEqual([admin.email, operator.email].sort())
  for (const part of [told[0]?.text, told[0]?.html])
    for (const word of ['Grace', wanted.email, '127.0.0.1', 'ENABLE_REGISTRATION=false']) expect(part).toContain(word)
})

test('operators get at most ten such mails a day, and the tenth says so', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  for (let n = 0; n < 12; n++) {
    const { status } = await follow(app, await linkFor(app, { email: `g${n}@sons.test` }))
    expect(status).toBe(200)
  }
  const news = async () =>
    (await mailsOf(app)).filter(({ kind, to }) => kind === 'company-registered' && to === admin.email)
  expect((await news()).map(({ text }) => text.includes('you won’t get an email about the next ones'))).toEqual([
    ...Array(9).fill(false),
    true,
  ])
  expect(auditOf(app, 'partner.create')).toHaveLength(13)
  app.clock.advance(86_400_000)
  await follow(app, await linkFor(app, { email: 'later@sons.test' }))
  expect(await news()).toHaveLength(11)
})

test('with registration off both endpoints and links sent earlier are gone', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_REGISTRATION: 'false' } })
  await bootstrapped(app)
  for (const answer of [
    await ask(app),
    await ask(app, { email: 'broken' }),
    await app.call(register, { body: {} as never }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'Not Found'])
  expect((await app.call(publicConfig)).body.registration).toEqual({
    enabled: false,
    shown: false,
    setByEnvironment: true,
  })

  const secrets = openSecrets(app.dataDir)
  const links = new MailLinks(new OneTimeSecrets(app.db, app.clock), secrets)
  const linkId = links.issue('pending_registration', {
    userId: null,
    payload: pendingRegistration(wanted.email),
    lifeSeconds: 60,
  })
  const { status, body } = await follow(app, secrets.linkToken('pending_registration', linkId))
  expect([status, body.code, failures(app)]).toEqual([400, 'invalid_verification_link', ['registration_disabled']])
})

test('an appliance that is not set up cannot be taken over by registering', async () => {
  await using app = await testApp({ env: wide })
  const { status, body } = await ask(app)
  expect(status).toBe(200)
  expect(await mailsOf(app)).toEqual([])
  expect(app.rowCounts().one_time_secrets).toBe(0)
  await bootstrapped(app)
  expect(body).toEqual((await ask(app)).body)
  expect((await mailOf(app, 'verify-registration')).to).toBe(wanted.email)
})

test('the eleventh link in five minutes answers 429, which is recorded once', async () => {
  await using app = await testApp({ env: mailToFiles })
  await bootstrapped(app)
  const answers = []
  for (let n = 0; n < 13; n++) answers.push(await follow(app, 'guess'))
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429, 429, 429])
  expect(failures(app)).toEqual([...Array(10).fill('unknown'), 'rate_limited'])
  app.clock.advance(300_000)
  for (let n = 0; n < 11; n++) await follow(app, 'guess')
  expect(failures(app).filter((reason) => reason === 'rate_limited')).toHaveLength(2)
})

test('the public configuration tells the pages before sign-in what is available', async () => {
  await using app = await testApp({ env: { PUBLIC_ENABLE_REGISTRATION: 'false', ENABLE_2FA: 'false' } })
  expect((await app.call(publicConfig)).body).toEqual({
    features: { billing: false, support: false },
    registration: { enabled: true, shown: false, setByEnvironment: false },
    mail: { delivery: 'none' },
    mfa: { enabled: false },
    passkeys: { available: false },
  })
})
