import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { archiveOrganization } from '../../shared/api/lifecycle.ts'
import { enterMembership, listMemberships } from '../../shared/api/memberships.ts'
import { listUsers, removeUser } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { member, password, person } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { acceptAll, inviteScene } from './invite-kit.ts'
import { refreshWith, signedInJar, withFactor } from './kit.ts'

/** Eve belongs to a company, to one of its organizations, and to an organization of another company. */
async function scene(env: Record<string, string> = {}) {
  const one = await inviteScene(env)
  const { app, admin, org, other, eve, eveThere, roleOf, invite } = one
  const partner = { scope: 'partner', partnerId: admin.partnerId, role: 'Partner Viewer' } as const
  const { id, email } = await member(app, { email: eve.email, name: 'Eve', ...partner })
  await invite({ ...eveThere, orgId: org.id })
  await invite({ ...eveThere, orgId: other.org.id }, other.admin.token)
  const session = await signedInJar(app, email, password)
  await acceptAll(app, session.token)
  const rows = async (token = session.token) => (await app.call(listMemberships, {}, { token })).body.data
  const idOf = async (name: string) => (await rows()).find((row) => (row.orgName ?? row.partnerName) === name)?.id ?? ''
  const enter = (to: string, token = session.token) => app.call(enterMembership, { params: { id: to } }, { token })
  return { ...one, id, email, session, rows, idOf, enter, roleOf }
}
const meOf = async (app: TestApp, token: string | undefined) => (await app.call(usersMe, {}, { token })).body
const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]

test('a sign-in enters the company, and the other memberships are listed with their roles', async () => {
  await using one = await scene()
  const { app, admin, org, other, session, rows } = one
  expect(await meOf(app, session.token)).toMatchObject({ scope: 'partner', partnerId: admin.partnerId })
  const times = { createdAt: expect.any(String), updatedAt: expect.any(String) }
  const shared = { id: expect.any(String), isUsable: true, isCurrent: false, roleName: 'Org Viewer', ...times }
  const [acme, umbrella] = [
    { partnerId: admin.partnerId, partnerName: 'Acme' },
    { partnerId: other.partnerId, partnerName: 'Umbrella' },
  ]
  expect(await rows()).toEqual([
    { ...shared, ...acme, scope: 'partner', orgId: null, orgName: null, roleName: 'Partner Viewer', isCurrent: true },
    { ...shared, ...acme, scope: 'organization', orgId: org.id, orgName: 'Berlin' },
    { ...shared, ...umbrella, scope: 'organization', orgId: other.org.id, orgName: 'Umbrella One' },
  ])
  expect(await rows(admin.token)).toMatchObject([{ partnerName: 'Acme', isCurrent: true }])
})

test('entering another tenant keeps the session and invalidates its earlier tokens', async () => {
  await using one = await scene()
  const { app, admin, other, id, email, session, rows, idOf, enter } = one
  const elsewhere = await signedInJar(app, email, password)
  const [acme, there] = [await idOf('Acme'), await idOf('Umbrella One')]
  const entered = await enter(there)
  const { accessToken } = entered.body.tokens
  expect(await meOf(app, accessToken)).toMatchObject({
    scope: 'organization',
    orgId: other.org.id,
    partnerName: 'Umbrella',
  })
  expect((await rows(accessToken)).find(({ isCurrent }) => isCurrent)?.id).toBe(there)
  expect((await app.call(authMe, {}, { token: session.token })).status).toBe(401)
  expect((await meOf(app, elsewhere.token)).scope, 'another session stays where it is').toBe('partner')
  expect(entered.cookies, 'a bearer alone comes by no refresh token').toEqual([])
  const { tokens } = (await refreshWith(app, session.jar)).body
  expect(await meOf(app, tokens?.accessToken)).toMatchObject({ orgId: other.org.id })
  const home = await enter(acme, tokens?.accessToken)
  expect(await meOf(app, home.body.tokens.accessToken)).toMatchObject({ scope: 'partner', partnerId: admin.partnerId })
  const next = await signedInJar(app, email, password)
  expect((await meOf(app, next.token)).scope).toBe('partner')
  await enter(there, next.token)
  const last = await signedInJar(app, email, password)
  expect((await meOf(app, last.token)).orgId, 'a sign-in lands where they worked last').toBe(other.org.id)

  const events = auditOf(app, 'user.tenant.enter')
  expect(events.map(({ org_id, partner_id }) => [org_id, partner_id])).toEqual([
    [other.org.id, other.partnerId],
    [null, admin.partnerId],
    [other.org.id, other.partnerId],
  ])
  expect(events[0]).toMatchObject({ actor_id: id, resource_id: id })
  const user = app.db.first(q.selectFrom('users').selectAll().where('id', '=', id))
  expect([user?.auth_epoch, user?.mfa_epoch]).toEqual([1, 1])
})

test('memberships of others and of closed tenants cannot be entered', async () => {
  await using one = await scene()
  const { app, admin, org, other, rows, idOf, enter } = one
  const [home, berlin, umbrella] = [await idOf('Acme'), await idOf('Berlin'), await idOf('Umbrella One')]
  expect(codes(await enter(umbrella, admin.token))).toEqual([404, 'membership_not_found'])
  expect(codes(await enter('x'))).toEqual([404, 'membership_not_found'])
  setOrganization(app, org.id, { status: 'suspended' })
  setPartner(app, other.partnerId, { status: 'suspended' })
  expect((await rows()).map(({ id, isUsable }) => [id, isUsable])).toEqual([
    [home, true],
    [berlin, false],
    [umbrella, false],
  ])
  for (const id of [berlin, umbrella]) expect(codes(await enter(id))).toEqual([409, 'membership_unusable'])
  setOrganization(app, org.id, { deleted_at: 'x' })
  expect((await rows()).map(({ id }) => id)).toEqual([home, umbrella])
  expect(auditOf(app, 'user.tenant.enter')).toEqual([])
})

test('closing an entered organization invalidates its token, and a refresh returns to the company', async () => {
  await using one = await scene()
  const { app, org, idOf, enter, session } = one
  const entered = await enter(await idOf('Berlin'))
  const { accessToken } = entered.body.tokens
  setOrganization(app, org.id, { status: 'suspended' })
  expect((await app.call(authMe, {}, { token: accessToken })).status, 'a token is for one place').toBe(401)
  setOrganization(app, org.id, { status: 'active' })
  expect(await meOf(app, accessToken)).toMatchObject({ orgId: org.id })
  setOrganization(app, org.id, { status: 'suspended' })
  const refreshed = await refreshWith(app, session.jar)
  expect((await meOf(app, refreshed.body.tokens?.accessToken)).scope).toBe('partner')
})

test('a member of a closed company can enter another membership', async () => {
  await using one = await scene()
  const { app, admin, other, rows, idOf, enter, session } = one
  const there = await idOf('Umbrella One')
  setPartner(app, admin.partnerId, { status: 'pending' })
  expect((await app.call(listUsers, {}, { token: session.token })).status).toBe(403)
  const { body } = await enter(there)
  expect(await meOf(app, body.tokens.accessToken)).toMatchObject({ orgId: other.org.id })
  setPartner(app, admin.partnerId, { deleted_at: 'x' })
  expect((await rows(body.tokens.accessToken)).map(({ orgName }) => orgName)).toEqual(['Umbrella One'])
})

test('entering checks the IP allow-list of the tenant and keeps the second factor of the session', async () => {
  await using one = await scene()
  const { app, other, idOf, enter, session } = one
  const umbrella = await idOf('Umbrella One')
  const { enabled } = await withFactor(app, session.token)
  const token = enabled.body.tokens.accessToken
  const locked = { security: { ipAllowlist: ['203.0.113.0/24'] } }
  setPartner(app, other.partnerId, { settings: toJson(locked) })
  expect((await enter(umbrella, token)).status).toBe(403)
  expect((await app.call(authMe, {}, { token })).status, 'nothing has changed').toBe(200)
  setPartner(app, other.partnerId, { settings: toJson({}) })
  const entered = await enter(umbrella, token)
  const row = app.db.first(q.selectFrom('sessions').selectAll().where('membership_id', '=', umbrella))
  expect(row).toMatchObject({ mfa_source: 'totp', revoked_at: null })
  expect((await app.call(authMe, {}, { token: entered.body.tokens.accessToken })).body.user.mfaEnabled).toBe(true)
})

test('entering a tenant that does not accept the factor of the session answers 403 membership_factor', async () => {
  await using one = await scene()
  const { app, other, idOf, enter, session } = one
  const umbrella = await idOf('Umbrella One')
  const { enabled } = await withFactor(app, session.token)
  const token = enabled.body.tokens.accessToken
  const passkeysOnly = { security: { allowedMfaMethods: { totp: false, sms: false } } }
  setPartner(app, other.partnerId, { settings: toJson(passkeysOnly) })
  expect(codes(await enter(umbrella, token))).toEqual([403, 'membership_factor'])
  expect(auditOf(app, 'user.tenant.enter')).toEqual([])
  app.db.run(q.updateTable('sessions').set({ mfa_source: 'passkey' }))
  expect((await enter(umbrella, token)).status).toBe(200)
})

test('entering a tenant that requires a second factor leads to enrollment', async () => {
  await using one = await scene()
  const { app, other, idOf, enter } = one
  setPartner(app, other.partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  const { body } = await enter(await idOf('Umbrella One'))
  expect((await app.call(listMemberships, {}, { token: body.tokens.accessToken })).status).toBe(428)
  expect((await meOf(app, body.tokens.accessToken)).mfaEnrollment.required).toBe(true)
})

test('accepting an invitation changes neither the tenant of a session nor that of the next sign-in', async () => {
  await using one = await scene()
  const { app, org, roleOf, invite } = one
  const olga = await person(app, { email: 'olga@x.test', scope: 'organization', orgId: org.id })
  expect((await invite({ email: olga.email, roleId: roleOf('Partner Viewer') })).status).toBe(201)
  const there = { scope: 'organization', orgId: org.id }
  for (const step of ['invited', 'accepted']) {
    expect(await meOf(app, olga.token), step).toMatchObject(there)
    const { jar, token } = await signedInJar(app, olga.email, password)
    expect(await meOf(app, token), step).toMatchObject(there)
    expect(await meOf(app, (await refreshWith(app, jar)).body.tokens?.accessToken), step).toMatchObject(there)
    await acceptAll(app, olga.token)
  }
})

test('removing a membership ends only the sessions that work in it', async () => {
  await using one = await scene()
  const { app, other, id, email, session, idOf, enter } = one
  const elsewhere = await signedInJar(app, email, password)
  const { body } = await enter(await idOf('Umbrella One'))
  const selector = { ownerScope: 'organization', orgId: other.org.id } as const
  const removed = await app.call(removeUser, { params: { id }, query: selector }, { token: other.admin.token })
  expect(removed.status).toBe(200)
  expect((await app.call(authMe, {}, { token: body.tokens.accessToken })).status).toBe(401)
  expect((await refreshWith(app, session.jar)).status).toBe(401)
  expect((await app.call(authMe, {}, { token: elsewhere.token })).status).toBe(200)
  expect((await app.call(login, { body: { email, password } })).status).toBe(200)
})

test('closing an organization ends only the sessions that work in it', async () => {
  await using one = await scene()
  const { app, admin, org, email, idOf, enter } = one
  const elsewhere = await signedInJar(app, email, password)
  const { body } = await enter(await idOf('Berlin'))
  const strict = await sessionOf(app, admin.userId, 'totp')
  const closed = await app.call(archiveOrganization, { params: { id: org.id }, body: {} }, { token: strict })
  expect(closed.status).toBeLessThan(300)
  expect((await app.call(authMe, {}, { token: body.tokens.accessToken })).status).toBe(401)
  expect((await app.call(authMe, {}, { token: elsewhere.token })).status).toBe(200)
})

test('ten simultaneous entries with one token leave one session in one tenant', async () => {
  await using one = await scene()
  const { app, session, idOf, enter } = one
  const ids = [await idOf('Berlin'), await idOf('Umbrella One')]
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => enter(ids[n % 2] as string, session.token)))
  for (const { status } of answers) expect([200, 401]).toContain(status)
  const alive = app.db.all(q.selectFrom('refresh_tokens').selectAll().where('rotated_at', 'is', null))
  const row = app.db.first(q.selectFrom('sessions').selectAll().where('membership_id', 'in', ids))
  expect(alive.filter(({ session_id }) => session_id === row?.id)).toHaveLength(1)
  const good = await Promise.all(
    answers.map(async ({ body }) => (await app.call(authMe, {}, { token: body.tokens?.accessToken })).status),
  )
  expect(good).toContain(200)
})
