import { randomUUIDv7 } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { login } from '../../shared/api/auth.ts'
import { listUsers, readUser, resetUserMfa } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { listSites } from '../../shared/api/sites.ts'
import { bootstrapped, member, organizationOf, otherCompany, password, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { CookieJar, refreshWith, withFactor } from './kit.ts'

const wide = { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
type Selector = { orgId?: string; partnerId?: string; ownerScope?: 'organization' | 'all' }

async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...wide, ...env } })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const { partnerId } = admin
  const zoe = await person(app, {
    email: 'zoe@x.test',
    name: 'zoe',
    scope: 'partner',
    partnerId,
    role: 'Partner Viewer',
  })
  const olaf = await person(app, { email: 'olaf@x.test', name: 'Olaf', scope: 'organization', orgId: org.id })
  const names = async (token: string, query: Selector = {}) => {
    const { status, body } = await app.call(listUsers, { query }, { token })
    return status === 200 ? body.data.map(({ name }) => name) : [status, body.code]
  }
  const read = async (token: string, id: string, query: Selector = {}) => {
    const { status, body } = await app.call(readUser, { params: { id }, query }, { token })
    return status === 200 ? body.id : [status, body.code]
  }
  return { app, admin, partnerId, org, zoe, olaf, names, read, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** The session of the administrator has passed a factor, as the reset requires. */
async function strict(app: TestApp, token: string) {
  await withFactor(app, token)
  return (id: string, query: Selector = {}) => app.call(resetUserMfa, { params: { id }, query }, { token })
}

test('the list has the members of one tenant, sorted by name, with their roles', async () => {
  await using one = await scene()
  const { app, admin, org, zoe, olaf } = one
  const { body } = await app.call(listUsers, {}, { token: admin.token })
  expect(body).toEqual({
    data: [
      {
        id: admin.userId,
        email: admin.email,
        name: 'Ada Admin',
        avatarUrl: null,
        status: 'active',
        inviteExpiresAt: null,
        lastLoginAt: expect.any(String),
        mfaEnabled: false,
        factors: { totp: false, sms: false, passkeys: 0 },
        mfaStatus: 'not_required',
        mfaEnrollmentDeadline: null,
        roleId: findBuiltInRole(app.db, 'Partner Admin', 'partner'),
        roleName: 'Partner Admin',
        membershipCreatedAt: expect.any(String),
        membershipUpdatedAt: expect.any(String),
        orgAccess: 'all',
        orgIds: null,
      },
      expect.objectContaining({ id: zoe.id, roleName: 'Partner Viewer' }),
    ],
  })
  const site = await siteOf(app, admin.token, org.id)
  app.db.run(q.updateTable('organization_users').set({ site_ids: toJson([site.id]) }))
  const selector = { ownerScope: 'organization', orgId: org.id } as const
  const answer = await app.call(readUser, { params: { id: olaf.id }, query: selector }, { token: admin.token })
  expect(answer.body).toMatchObject({
    roleName: 'Org Admin',
    orgId: org.id,
    orgName: org.name,
    siteIds: [site.id],
    deviceGroupIds: null,
  })
  expect(answer.body).not.toHaveProperty('orgAccess')
})

test('people are sorted by name regardless of accents', async () => {
  await using one = await scene()
  const { app, admin, partnerId, names } = one
  for (const name of ['Özlem', 'Änne'])
    await person(app, { email: `${name.length}${name[1]}@x.test`, name, scope: 'partner', partnerId })
  expect(await names(admin.token)).toEqual(['Ada Admin', 'Änne', 'Özlem', 'zoe'])
})

test('the list is about the own tenant, or about an organization named as such', async () => {
  await using one = await scene()
  const { app, admin, org, olaf, names, read } = one
  const other = await otherCompany(app)
  const own = ['Ada Admin', 'zoe']
  expect(await names(admin.token)).toEqual(own)
  expect(await names(admin.token, { orgId: org.id }), 'what clients append to every call').toEqual(own)
  expect(await names(admin.token, { orgId: other.org.id })).toEqual(own)
  expect(await names(admin.token, { partnerId: other.partnerId })).toEqual(own)
  expect(await names(admin.token, { ownerScope: 'organization', orgId: org.id })).toEqual(['Olaf'])
  for (const orgId of [other.org.id, 'x'])
    expect(await names(admin.token, { ownerScope: 'organization', orgId })).toEqual([404, 'organization_not_found'])
  expect(await names(admin.token, { ownerScope: 'organization' })).toEqual([403, 'tenant_context_required'])
  setOrganization(app, org.id, { status: 'archived' })
  expect(await names(admin.token, { ownerScope: 'organization', orgId: org.id })).toEqual([
    404,
    'organization_not_found',
  ])
  setOrganization(app, org.id, { status: 'active' })

  expect(await names(olaf.token)).toEqual(['Olaf'])
  expect(await names(olaf.token, { ownerScope: 'organization', orgId: other.org.id })).toEqual(['Olaf'])
  expect(await read(olaf.token, admin.userId)).toEqual([404, 'user_not_found'])

  const system = await person(app, { email: 'sys@x.test', scope: 'system' })
  expect(await names(system.token)).toEqual([403, 'tenant_context_required'])
  expect(await names(system.token, { partnerId: admin.partnerId })).toEqual(own)
  expect(await names(system.token, { orgId: org.id })).toEqual(['Olaf'])
  expect(await names(system.token, { partnerId: 'x' })).toEqual([404, 'partner_not_found'])
  expect(await names(system.token, { orgId: 'x' })).toEqual([404, 'organization_not_found'])
})

test('the list of the whole company has its own people and those of its organizations', async () => {
  await using one = await scene()
  const { app, admin, org, zoe, olaf, names, read } = one
  const other = await otherCompany(app)
  await person(app, { email: 'far@x.test', name: 'Far', scope: 'organization', orgId: other.org.id })
  const second = await organizationOf(app, admin.token, 'Aachen')
  const hidden = await organizationOf(app, admin.token, 'Hidden')
  await person(app, { email: 'hid@x.test', name: 'Hid', scope: 'organization', orgId: hidden.id })
  setOrganization(app, hidden.id, { status: 'archived' })
  const olafs = app.db.first(q.selectFrom('organization_users').selectAll().where('user_id', '=', olaf.id))
  if (!olafs) throw new Error('no membership')
  app.db.run(q.insertInto('organization_users').values({ ...olafs, id: randomUUIDv7(), org_id: second.id }))

  const all = { ownerScope: 'all' } as const
  const { body } = await app.call(listUsers, { query: all }, { token: admin.token })
  expect(body.data.map(({ name, orgId, orgName }) => [name, orgId, orgName])).toEqual([
    ['Ada Admin', undefined, undefined],
    ['Olaf', second.id, 'Aachen'],
    ['Olaf', org.id, 'Berlin'],
    ['zoe', undefined, undefined],
  ])
  expect(await read(admin.token, olaf.id, all)).toBe(olaf.id)
  expect(await read(admin.token, other.admin.id, all)).toEqual([404, 'user_not_found'])
  expect(await names(olaf.token, all), 'an organization has no other').toEqual(['Olaf'])
  expect(await names(zoe.token, all)).toEqual([403, 'permission_denied'])
  const system = await person(app, { email: 'sys@x.test', scope: 'system' })
  expect(await names(system.token, all)).toEqual([403, 'tenant_context_required'])
  expect(await names(system.token, { ...all, partnerId: other.partnerId })).toEqual(['admin@umbrella.test', 'Far'])
})

test('the list shows which factors people have', async () => {
  await using one = await scene()
  const { app, admin, zoe } = one
  const stamp = '2026-01-01T00:00:00.000Z'
  const passkey = (id: string, disabled_at: string | null = null) => ({
    id,
    user_id: zoe.id,
    credential_id: id,
    public_key: 'x',
    counter: 0,
    rp_id: 'localhost',
    device_type: 'singleDevice' as const,
    backed_up: 0 as const,
    transports: toJson([]),
    name: id,
    disabled_at,
    created_at: stamp,
    updated_at: stamp,
  })
  app.db.run(
    q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'passkey', mfa_secret: 'x' }).where('id', '=', zoe.id),
  )
  for (const key of [passkey('a'), passkey('b'), passkey('c', stamp)])
    app.db.run(q.insertInto('user_passkeys').values(key))
  const { body } = await app.call(readUser, { params: { id: zoe.id } }, { token: admin.token })
  expect(body.factors).toEqual({ totp: true, sms: false, passkeys: 2 })
  const rows = (await app.call(listUsers, {}, { token: admin.token })).body.data
  expect(rows.map(({ factors }) => factors.passkeys)).toEqual([0, 2])
})

test('people can be managed only with full access according to the membership row', async () => {
  await using one = await scene()
  const { app, partnerId, org, zoe, names } = one
  const who = { scope: 'partner' as const, partnerId, orgIds: [org.id] }
  const everyOne = await person(app, { email: 'sel@x.test', orgAccess: 'selected', ...who })
  const { body } = await app.call(listUsers, {}, { token: everyOne.token })
  expect(body.error).toBe('Full partner organization access required')
  expect(await names(zoe.token), 'without the permission').toEqual([403, 'permission_denied'])
  app.db.run(q.updateTable('partner_users').set({ org_access: 'all' }).where('user_id', '=', everyOne.id))
  expect(await names(everyOne.token)).toHaveLength(3)
})

test('a user is found only through a membership of the tenant', async () => {
  await using one = await scene()
  const { app, admin, zoe, olaf, read } = one
  const other = await otherCompany(app)
  expect(await read(admin.token, zoe.id)).toBe(zoe.id)
  for (const id of [other.admin.id, olaf.id, 'x', randomUUIDv7()])
    expect(await read(admin.token, id)).toEqual([404, 'user_not_found'])
  const reset = await strict(app, admin.token)
  await withFactor(app, other.admin.token)
  const answer = await reset(other.admin.id)
  expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found'])
  app.db.run(q.deleteFrom('partner_users').where('user_id', '=', zoe.id))
  expect(await read(admin.token, zoe.id)).toEqual([404, 'user_not_found'])
})

test('the list shows who must still enrol a factor', async () => {
  await using one = await scene({ MFA_FORCE_FOR_PARTNER_ADMIN: 'true' })
  const { app, admin, partnerId, zoe } = one
  const statuses = async () => {
    const { body } = await app.call(listUsers, {}, { token: admin.token })
    return Object.fromEntries(body.data.map(({ name, mfaStatus }) => [name, mfaStatus]))
  }
  expect(await statuses()).toEqual({ 'Ada Admin': 'pending', zoe: 'not_required' })
  await withFactor(app, admin.token)
  expect(await statuses()).toEqual({ 'Ada Admin': 'enrolled', zoe: 'not_required' })
  setPartner(app, partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  expect(await statuses()).toEqual({ 'Ada Admin': 'enrolled', zoe: 'overdue' })
  expect((await app.call(usersMe, {}, { token: zoe.token })).status).toBe(200)
})

test('a reset removes every factor, ends every session, and leaves no passkey challenge', async () => {
  await using one = await scene()
  const { app, admin, partnerId, zoe } = one
  const reset = await strict(app, admin.token)
  const { enabled } = await withFactor(app, zoe.token)
  app.db.run(q.updateTable('users').set({ phone_number: '+491701234567', phone_verified: 1 }).where('id', '=', zoe.id))
  const stamps = { created_at: 'x', updated_at: 'x' }
  const key = { id: 'k', credential_id: 'c', public_key: 'x', rp_id: 'localhost', name: 'key', transports: toJson([]) }
  app.db.run(
    q
      .insertInto('user_passkeys')
      .values({ ...key, user_id: zoe.id, counter: 0, device_type: 'singleDevice', backed_up: 0, ...stamps }),
  )
  const before = app.db.first(q.selectFrom('users').select('mfa_epoch').where('id', '=', zoe.id))
  expect((await reset(zoe.id)).body).toEqual({ success: true, message: expect.any(String) })
  expect(app.db.first(q.selectFrom('users').selectAll().where('id', '=', zoe.id))).toMatchObject({
    mfa_enabled: 0,
    mfa_method: null,
    mfa_secret: null,
    mfa_recovery_codes: null,
    phone_number: null,
    phone_verified: 0,
    mfa_epoch: (before?.mfa_epoch ?? 0) + 1,
  })
  expect(app.db.all(q.selectFrom('user_passkeys').selectAll())).toEqual([])
  for (const token of [zoe.token, enabled.body.tokens.accessToken])
    expect((await app.call(usersMe, {}, { token })).status).toBe(401)
  expect((await refreshWith(app, new CookieJar().take(enabled))).status).toBe(401)
  const alive = q.selectFrom('sessions').select('id').where('user_id', '=', zoe.id).where('revoked_at', 'is', null)
  expect(app.db.all(alive)).toEqual([])
  expect((await app.call(login, { body: { email: zoe.email, password } })).body.mfaRequired).toBe(false)
  const [event] = auditOf(app, 'user.mfa_reset')
  expect(event).toMatchObject({ resource_id: zoe.id, partner_id: partnerId, actor_id: admin.userId })
  expect(event?.details).toEqual({ method: 'totp', mfaEpoch: (before?.mfa_epoch ?? 0) + 1, teardownFailed: false })
  expect((await reset(zoe.id)).body.code, 'nothing left to reset').toBe('mfa_not_enabled')
})

test('a reset of oneself, or by a session without a second factor, is refused', async () => {
  await using one = await scene()
  const { app, admin, zoe } = one
  const early = await app.call(resetUserMfa, { params: { id: zoe.id } }, { token: admin.token })
  expect([early.status, early.body.code]).toEqual([403, 'MFA_REQUIRED'])
  const reset = await strict(app, admin.token)
  const own = await reset(admin.userId)
  expect([own.status, own.body.code]).toEqual([400, 'own_mfa_reset'])
  expect(auditOf(app, 'user.mfa_reset')).toEqual([])
})

test('the factors of a platform admin can be reset only by platform admins', async () => {
  await using one = await scene()
  const { app, admin, partnerId } = one
  const colleague = await person(app, { email: 'col@x.test', scope: 'partner', partnerId })
  const resetByColleague = await strict(app, colleague.token)
  const resetByAdmin = await strict(app, admin.token)
  const { status, body } = await resetByColleague(admin.userId)
  expect([status, body.code]).toEqual([403, 'platform_admin_required'])
  expect((await app.call(usersMe, {}, { token: admin.token })).body.mfaEnabled).toBe(true)
  app.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', colleague.id))
  expect((await resetByAdmin(colleague.id)).status).toBe(200)
})

test('members of an organization are reset by their own administrator or by a partner who names it', async () => {
  await using one = await scene()
  const { app, admin, org, olaf } = one
  const mate = await person(app, { email: 'mate@x.test', scope: 'organization', orgId: org.id })
  await withFactor(app, mate.token)
  expect((await (await strict(app, olaf.token))(mate.id)).status).toBe(200)
  expect(auditOf(app, 'user.mfa_reset')[0]).toMatchObject({ org_id: org.id, partner_id: admin.partnerId })
  const reset = await strict(app, admin.token)
  expect((await reset(olaf.id, { orgId: org.id })).status).toBe(404)
  expect((await reset(olaf.id, { orgId: org.id, ownerScope: 'organization' })).status).toBe(200)
})

test('a reset works although a policy requires a factor, and opens no second enrollment window', async () => {
  await using one = await scene({ MFA_FORCE_FOR_PARTNER_ADMIN: 'true' })
  const { app, admin, partnerId } = one
  const max = await person(app, { email: 'max@x.test', scope: 'partner', partnerId })
  await withFactor(app, max.token)
  const reset = await strict(app, admin.token)
  setPartner(app, partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  expect((await reset(max.id)).status).toBe(200)
  setPartner(app, partnerId, { settings: toJson({}) })
  const { body } = await app.call(login, { body: { email: max.email, password } })
  expect(body).toMatchObject({ mfaRequired: false, mfaEnrollmentRequired: true })
  expect((await app.call(listSites, {}, { token: body.tokens?.accessToken })).status).toBe(428)
  const { body: me } = await app.call(usersMe, {}, { token: body.tokens?.accessToken })
  expect(me.mfaEnrollment).toEqual({ required: true, status: 'none', deadline: null })
})

test('without second factors a reset still works, and the administrator needs no factor', async () => {
  await using one = await scene({ ENABLE_2FA: 'false' })
  const { app, admin, zoe } = one
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'sms' }).where('id', '=', zoe.id))
  const { status } = await app.call(resetUserMfa, { params: { id: zoe.id } }, { token: admin.token })
  expect(status).toBe(200)
  expect(auditOf(app, 'user.mfa_reset')[0]?.details.method).toBe('sms')
})

test('a long list is complete, sorted and without duplicates while people are removed and renamed', async () => {
  await using one = await scene()
  const { app, admin, org, partnerId } = one
  const names = Array.from({ length: 900 }, (_, n) => `Person ${String((n * 7) % 900).padStart(3, '0')}`)
  const people = new Map<string, string>()
  for (const [n, name] of names.entries()) {
    const place =
      n % 3 ? ({ scope: 'partner', partnerId } as const) : ({ scope: 'organization', orgId: org.id } as const)
    people.set(name, (await member(app, { email: `person-${n}@x.test`, name, ...place })).id)
  }
  const all = () => one.names(admin.token, { ownerScope: 'all' })
  const sorted = names.toSorted()
  expect(await all()).toEqual(['Ada Admin', 'Olaf', ...sorted, 'zoe'])

  const listing = all()
  // By then the first ones have been read and the last have not.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  const [first, last] = ['Person 001', 'Person 899']
  app.db.run(
    q
      .updateTable('users')
      .set({ name: 'Zora' })
      .where('id', '=', people.get(first) as string),
  )
  app.db.run(q.deleteFrom('partner_users').where('user_id', '=', people.get(last) as string))
  const met = await listing
  expect(met.filter((name) => name !== 'Zora' && name !== first && name !== last)).toEqual(
    (await all()).filter((name) => name !== 'Zora'),
  )
  expect(met.filter((name) => name === 'Zora' || name === first)).toHaveLength(1)
})
