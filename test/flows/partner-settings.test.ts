import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { login } from '../../shared/api/auth.ts'
import { createOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import {
  ipAllowlistStatus,
  partnerStanding,
  previewSecurity,
  readOwnPartner,
  type SecuritySettings,
  updateOwnPartner,
} from '../../shared/api/partners.ts'
import {
  bootstrapped,
  member,
  organizationOf,
  otherCompany,
  type Person,
  password,
  person,
} from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

const behindProxy = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8' }
const client = { 'x-forwarded-for': '203.0.113.9' }

async function admitted(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const admin = await bootstrapped(app)
  const read = async () => (await app.call(readOwnPartner, {}, { token: admin.token, headers: client })).body
  const patch = (body: unknown, headers: Record<string, string> = client) =>
    app.call(updateOwnPartner, { body: body as never }, { token: admin.token, headers })
  return { app, admin, read, patch, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('the own company is read without its secrets, and "me" is not taken for an id', async () => {
  await using scene = await admitted()
  const { app, admin } = scene
  setPartner(app, admin.partnerId, { sso_config: '{"clientSecret":"s3cret"}', billing_email: 'pay@acme.test' })
  const { status, body } = await app.call(readOwnPartner, {}, { token: admin.token })
  expect([status, body.id, body.billingEmail]).toEqual([200, admin.partnerId, 'pay@acme.test'])
  expect(JSON.stringify(body)).not.toMatch(/s3cret|ssoConfig|deletedAt/)
})

test('settings are merged key by key, and omitted and unknown keys stay', async () => {
  await using scene = await admitted()
  const { app, admin, read, patch } = scene
  const stored = {
    statusMessage: 'kept',
    contact: { name: 'Ada', email: 'ada@acme.test' },
    businessHours: { preset: 'custom', custom: { mon: { start: '8:00', end: '17:00' } } },
    security: { allowedMfaMethods: { totp: true }, ofOurs: 1 },
  }
  setPartner(app, admin.partnerId, { settings: toJson(stored) })
  const sent = {
    contact: { phone: '+49 30 1' },
    businessHours: { custom: { tue: { start: '09:00', end: '12:00', closed: false } } },
    security: { requireMfa: false, allowedMfaMethods: { sms: false } },
    invented: 'dropped',
  }
  expect((await patch({ settings: sent })).status).toBe(200)
  expect((await read()).settings).toEqual({
    statusMessage: 'kept',
    contact: { name: 'Ada', email: 'ada@acme.test', phone: '+49 30 1' },
    businessHours: { preset: 'custom', custom: { tue: { start: '09:00', end: '12:00', closed: false } } },
    security: {
      ofOurs: 1,
      requireMfa: false,
      allowedMfaMethods: { totp: true, sms: false },
      allowedMethods: { totp: true, sms: false },
    },
  })
  expect(auditOf(app, 'partner.settings.update').map(({ details }) => details)).toEqual([
    { changedFields: ['settings'] },
  ])
})

test('the allowed methods are stored once under either name, and the public name wins', async () => {
  await using scene = await admitted()
  const { app, patch } = scene
  const { body } = await patch({
    settings: { security: { allowedMfaMethods: { sms: true, totp: true }, allowedMethods: { sms: false } } },
  })
  const allowed = { totp: true, sms: false }
  expect(body.settings.security).toEqual({ allowedMfaMethods: allowed, allowedMethods: allowed })
  const stored = app.db.statement('SELECT settings FROM partners').pluck().get() as string
  expect(JSON.parse(stored)).toEqual({ security: { allowedMfaMethods: allowed } })
})

test('simultaneous saves of different settings are both stored', async () => {
  await using scene = await admitted()
  const { read, patch } = scene
  await Promise.all([
    patch({ settings: { timezone: 'Europe/Berlin' } }),
    patch({ settings: { contact: { name: 'Ada' } } }),
    patch({ settings: { contact: { phone: '1' } } }),
  ])
  expect((await read()).settings).toMatchObject({ timezone: 'Europe/Berlin', contact: { name: 'Ada', phone: '1' } })
})

test('the time zone is also stored in a column, and any spelling of UTC becomes UTC', async () => {
  await using scene = await admitted()
  expect((await scene.patch({ settings: { timezone: 'Europe/Berlin' } })).body.timezone).toBe('Europe/Berlin')
  const { body } = await scene.patch({ settings: { timezone: 'utc' } })
  expect([body.timezone, body.settings.timezone]).toEqual(['UTC', 'UTC'])
  expect((await scene.patch({ settings: { timezone: 'Mars/Base' } })).body.error).toContain('Invalid IANA timezone')
})

test('name and billing address can be changed, status and slug cannot, and nothing to change answers 400', async () => {
  await using scene = await admitted()
  const { read, patch } = scene
  const { body } = await patch({ name: ' Acme Two ', billingEmail: 'Pay@Acme.test', status: 'churned', slug: 'x' })
  expect(body).toMatchObject({ name: 'Acme Two', billingEmail: 'pay@acme.test', status: 'active', slug: 'acme' })
  expect((await patch({ billingEmail: null })).body.billingEmail).toBe(null)
  for (const empty of [{}, { status: 'active', plan: 'free' }]) {
    const refused = await patch(empty)
    expect([refused.status, refused.body.error]).toEqual([400, 'No updates provided'])
  }
  expect((await patch({ settings: {} })).status).toBe(200)
  for (const settings of [null, [], 'x', { contact: null }, { security: { requireMfa: null } }, { language: 'de' }])
    expect((await patch({ settings })).status, JSON.stringify(settings)).toBe(400)
  expect((await read()).settings).toEqual({})
})

test.each([
  '10.0.0.0/33',
  '1.2.3',
  '::1/129',
  '',
  '  ',
  'host.local',
  '1.2.3.4/',
  '1.2.3.4/ 8',
  '1.2.3.4/-1',
  '10.0.0.1-9',
])('the entry "%s" is refused by name, and nothing of the patch is stored', async (entry) => {
  await using scene = await admitted(behindProxy)
  const { status, body } = await scene.patch({
    name: 'Other',
    settings: { timezone: 'Europe/Berlin', security: { ipAllowlist: ['203.0.113.9', entry] } },
  })
  const message = 'Each IP allowlist entry must be a valid IP address or CIDR range'
  expect([status, body.error]).toEqual([400, `settings.security.ipAllowlist.1: ${message}`])
  expect(await scene.read()).toMatchObject({ name: 'Acme', settings: {}, timezone: 'UTC' })
})

test('a first entry needs a trusted proxy, changing or clearing the list does not', async () => {
  const list = (...ipAllowlist: string[]) => ({ name: 'Other', settings: { security: { ipAllowlist } } })
  for (const [env, headers] of [
    [{}, client],
    [{ TRUST_PROXY_HEADERS: 'true' }, client],
    [{ ...behindProxy, TRUST_PROXY_HEADERS: 'false' }, client],
    [behindProxy, {}],
  ] as const) {
    await using scene = await admitted(env)
    const { status, body } = await scene.patch(list('10.0.0.0/8'), headers)
    expect([status, body.code], JSON.stringify(env)).toEqual([400, 'proxy_trust_required'])
    expect(await scene.read()).toMatchObject({ name: 'Acme', settings: {} })
    expect((await scene.patch(list(), headers)).status, 'clearing').toBe(200)
  }
  await using scene = await admitted(behindProxy)
  expect((await scene.patch(list(' 203.0.113.9/8 '))).body.settings.security).toEqual({
    ipAllowlist: ['203.0.113.9/8'],
  })
  // The platform admin is not bound by the list and can still change it from anywhere.
  const more = await scene.patch(list('203.0.113.9/8', '2001:db8::/32'), {})
  expect(more.status).toBe(200)
  await scene.patch({ settings: { security: { requireMfa: false } } })
  expect((await scene.read()).settings.security).toMatchObject({ ipAllowlist: ['203.0.113.9/8', '2001:db8::/32'] })
  expect((await scene.patch(list())).body.settings.security).toMatchObject({ ipAllowlist: [] })
})

test('members with selected organizations cannot change the company', async () => {
  await using scene = await admitted()
  const { app, admin } = scene
  const org = await organizationOf(app, admin.token)
  const who = { scope: 'partner', partnerId: admin.partnerId } as const
  const { token } = await person(app, { email: 'sel@x.test', ...who, orgAccess: 'selected', orgIds: [org.id] })
  const { status, body } = await app.call(updateOwnPartner, { body: { name: 'x' } }, { token })
  expect([status, body.error]).toEqual([403, 'Full partner access required'])
  expect((await app.call(readOwnPartner, {}, { token })).body.name).toBe('Acme')
})

test('the status of the list says whether it can be enforced and is active', async () => {
  const statusOf = async (app: TestApp, token: string, headers = {}) =>
    (await app.call(ipAllowlistStatus, {}, { token, headers })).body
  await using plain = await admitted()
  expect(await statusOf(plain.app, plain.admin.token)).toEqual({
    currentIp: null,
    proxyTrustOk: false,
    enforced: false,
    active: false,
  })
  await using scene = await admitted(behindProxy)
  const off = { currentIp: '203.0.113.9', proxyTrustOk: true, enforced: false, active: false }
  expect(await statusOf(scene.app, scene.admin.token, client)).toEqual(off)
  await scene.patch({ settings: { security: { ipAllowlist: ['203.0.113.0/24'] } } })
  expect(await statusOf(scene.app, scene.admin.token, client)).toEqual({ ...off, enforced: true, active: true })
})

test('the status of a pending company can be read', async () => {
  await using scene = await admitted()
  const { app, admin } = scene
  const settings = toJson({ statusMessage: 'Soon', statusActionUrl: 'https://x.test', statusActionLabel: 'Go' })
  setPartner(app, admin.partnerId, { status: 'pending', settings })
  expect((await app.call(readOwnPartner, {}, { token: admin.token })).body.code).toBe('PARTNER_INACTIVE')
  const { status, body } = await app.call(partnerStanding, {}, { token: admin.token })
  expect([status, body]).toEqual([
    200,
    {
      id: admin.partnerId,
      name: 'Acme',
      slug: 'acme',
      status: 'pending',
      statusMessage: 'Soon',
      statusActionUrl: 'https://x.test',
      statusActionLabel: 'Go',
    },
  ])
})

test('the security settings of an organization follow the same rules', async () => {
  await using scene = await admitted()
  const { app, admin } = scene
  const org = await organizationOf(app, admin.token)
  const update = (settings: object, id = org.id) =>
    app.call(updateOrganization, { params: { id }, body: { settings: settings as never } }, { token: admin.token })
  const kept = await update({ theme: 1, security: { allowedMethods: { sms: false }, ofOurs: 1 } })
  const allowed = { sms: false }
  expect(kept.body.settings).toEqual({
    theme: 1,
    security: { ofOurs: 1, allowedMfaMethods: allowed, allowedMethods: allowed },
  })
  for (const security of [{ requireMfa: 'yes' }, { mfaEnrollmentGraceDays: 31 }, { ipAllowlist: ['x'] }, 'x', null])
    expect((await update({ security })).status, JSON.stringify(security)).toBe(400)

  await scene.patch({ settings: { security: { mfaEnrollmentGraceDays: 7, allowedMfaMethods: { sms: false } } } })
  expect((await update({ security: { mfaEnrollmentGraceDays: 7, allowedMethods: { sms: false } } })).status).toBe(200)
  expect((await update({ security: { requireMfa: false } })).status, 'not settled by the partner').toBe(200)
  const locked = await update({ security: { mfaEnrollmentGraceDays: 8, allowedMfaMethods: { sms: true } } })
  expect([locked.status, locked.body.code]).toEqual([403, 'settings_locked'])
  expect(locked.body.error).toContain('security.mfaEnrollmentGraceDays, security.allowedMfaMethods')
  const body = { name: 'New', slug: 'new', settings: { security: { mfaEnrollmentGraceDays: 8 } } }
  expect((await app.call(createOrganization, { body }, { token: admin.token })).status).toBe(403)
})

/** A company with members of its own and of an organization, and another company. */
async function peopled(env: Record<string, string> = {}) {
  const scene = await admitted({ ...behindProxy, HOMEPORT_LIMIT_LOGIN_IP: '0/60', ...env })
  const { app, admin } = scene
  const { partnerId } = admin
  const org = await organizationOf(app, admin.token)
  const other = await otherCompany(app)
  const at = async (email: string, ip: string, who: Partial<Person> = {}) => {
    const made = await member(app, { email, scope: 'partner', partnerId, ...who })
    await app.call(login, { body: { email, password } }, { headers: { 'x-forwarded-for': ip } })
    return made
  }
  const preview = async (security: SecuritySettings, token = admin.token, headers: Record<string, string> = client) =>
    (await app.call(previewSecurity, { body: security }, { token, headers })).body
  return { ...scene, org, other, at, preview }
}
const nobody = { withoutFactor: 0, namesWithoutFactor: [], shutOut: 0, addresses: [], isCallerShutOut: false }

test('the preview of a required second factor names users without one, unless it is already required', async () => {
  await using scene = await peopled()
  const { app, admin, org, at, preview, patch } = scene
  await at('ann@x.test', '203.0.113.9')
  await at('olaf@x.test', '203.0.113.9', { scope: 'organization', orgId: org.id })
  const gone = await at('gone@x.test', '203.0.113.9')
  const safe = await at('safe@x.test', '203.0.113.9')
  const ina = await at('ina@x.test', '203.0.113.9')
  app.db.run(q.updateTable('users').set({ status: 'invited', name: 'Ina' }).where('id', '=', ina.id))
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', gone.id))
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', safe.id))
  const before = app.rowCounts()
  const all = await preview({ requireMfa: true })
  expect(all).toMatchObject({ ...nobody, withoutFactor: 4, namesWithoutFactor: expect.anything() })
  expect(all.namesWithoutFactor).toHaveLength(4)
  expect(all.namesWithoutFactor.filter(({ isInvited }) => isInvited)).toEqual([{ name: 'Ina', isInvited: true }])
  expect(await preview({ mfaEnrollmentGraceDays: 0 })).toEqual(nobody)
  expect(app.rowCounts()).toEqual(before)
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', admin.userId))
  expect(await preview({ requireMfa: true })).toMatchObject({ withoutFactor: 3 })
  setOrganization(app, org.id, { status: 'archived' })
  expect(await preview({ requireMfa: true })).toMatchObject({ withoutFactor: 2 })
  await patch({ settings: { security: { requireMfa: true } } })
  expect(await preview({ requireMfa: true, mfaEnrollmentGraceDays: 3 })).toEqual(nobody)
})

test('the preview of an IP allow-list names the people it would shut out and their addresses', async () => {
  await using scene = await peopled()
  const { app, admin, org, other, at, preview, patch } = scene
  const ann = await at('ann@x.test', '198.51.100.7')
  await app.call(login, { body: { email: ann.email, password } }, { headers: { 'x-forwarded-for': '2001:db8::7' } })
  await at('olaf@x.test', '198.51.100.8', { scope: 'organization', orgId: org.id })
  await at('root@x.test', '198.51.100.9', { isPlatformAdmin: true })
  await at('far@x.test', '198.51.100.10', { partnerId: other.partnerId })
  const left = await at('left@x.test', '198.51.100.11')
  app.db.run(q.updateTable('sessions').set({ revoked_at: '2026-01-01T00:00:00.000Z' }).where('user_id', '=', left.id))
  const office = ['203.0.113.0/24']
  expect(await preview({ ipAllowlist: office })).toEqual({
    ...nobody,
    shutOut: 2,
    addresses: ['198.51.100.7', '198.51.100.8', '2001:db8::7'],
  })
  expect(await preview({ ipAllowlist: [...office, '198.51.100.0/24'] })).toMatchObject({
    shutOut: 1,
    addresses: ['2001:db8::7'],
  })
  const bob = await person(app, { email: 'bob@x.test', scope: 'partner', partnerId: admin.partnerId })
  const his = await preview({ ipAllowlist: ['198.51.100.0/24', '2001:db8::/32', '127.0.0.1'] }, bob.token)
  expect(his).toEqual({ ...nobody, shutOut: 1, addresses: ['203.0.113.9'], isCallerShutOut: true })
  await patch({ settings: { security: { ipAllowlist: [...office, '127.0.0.1'] } } })
  expect(await preview({ ipAllowlist: office }), 'only bob signed in from there').toMatchObject({ shutOut: 1 })
  expect(await preview({ ipAllowlist: [] })).toEqual(nobody)
})

test('the preview does not reveal addresses used in sessions of another company', async () => {
  await using scene = await peopled()
  const { app, org, other, at, preview } = scene
  const zed = await at('zed@x.test', '198.51.100.7', { partnerId: other.partnerId })
  const role = findBuiltInRole(app.db, 'Org Admin', 'organization') as string
  app.db.run(
    q.insertInto('organization_users').values({
      id: 'zed-too',
      org_id: org.id,
      user_id: zed.id,
      role_id: role,
      created_at: '2026-01-01T00:00:00.000Z',
    }),
  )
  expect(await preview({ ipAllowlist: ['203.0.113.0/24'] })).toEqual(nobody)
})

test('the preview names at most twenty addresses but counts all people', async () => {
  await using scene = await peopled({ HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' })
  const { app, admin, at, preview } = scene
  const ann = await at('ann@x.test', '198.51.100.1')
  const [session] = app.db.all(q.selectFrom('sessions').selectAll().where('user_id', '=', ann.id))
  if (!session) throw new Error('no session')
  for (let n = 2; n <= 30; n++)
    app.db.run(q.insertInto('sessions').values({ ...session, id: `s${n}`, ip_address: `198.51.100.${n}` }))
  const { shutOut, addresses } = await preview({ ipAllowlist: ['203.0.113.9'] }, admin.token)
  expect([shutOut, addresses.length]).toEqual([1, 20])
})

test('the preview refuses what saving would refuse, with the same code', async () => {
  await using scene = await peopled()
  const { app, admin, preview, patch } = scene
  for (const security of [{ ipAllowlist: ['x'] }, { mfaEnrollmentGraceDays: 99 }]) {
    const { body: refusal } = await patch({ settings: { security } })
    const ahead = (await preview(security)) as unknown as { code: string }
    expect(ahead.code).toBe(refusal.code)
  }
  const direct = await preview({ ipAllowlist: ['203.0.113.0/24'] }, admin.token, {})
  expect(direct).toMatchObject({ code: 'proxy_trust_required' })
  const sel = await person(app, {
    email: 'sel@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [],
  })
  expect(await preview({}, sel.token)).toMatchObject({ code: 'full_partner_access_required' })
  app.db.run(
    q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp', mfa_secret: 'sealed' }).where('id', '=', sel.id),
  )
  expect(await preview({ allowedMethods: { totp: false } })).toMatchObject({
    code: 'mfa_policy_would_lock_out_users',
    count: 1,
  })
})

test('with enforcement switched off the preview affects nobody', async () => {
  await using scene = await peopled({ IP_ALLOWLIST_ENFORCEMENT_MODE: 'off', ENABLE_2FA: 'false' })
  await scene.at('ann@x.test', '198.51.100.7')
  expect(await scene.preview({ ipAllowlist: ['10.0.0.0/8'], requireMfa: true })).toEqual(nobody)
})
