import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { type JsonText, toJson } from '../../server/lib/json.ts'
import { isoNow, minute } from '../../server/platform/clock.ts'
import { listDevices, readDevice, setDeviceMaintenance, updateDevice } from '../../shared/api/devices.ts'
import { listUsers, removeUser } from '../../shared/api/people.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { regrant, showFactor } from '../contract/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { holdings, organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { keyScene, withKey } from './api-key-kit.ts'

/** What a program can do with an API key, and what ends the key. */

const wrong = `svc_${'A'.repeat(32)}`

/** Adds a user to an organization as a member who can see its devices. */
const join = ({ db, clock }: TestApp, where: { user_id: string; org_id: string; site_ids?: JsonText<string[]> }) => {
  const role_id = findBuiltInRole(db, 'Org Viewer', 'organization') as string
  const created_at = isoNow(clock)
  db.run(q.insertInto('organization_users').values({ ...where, id: crypto.randomUUID(), role_id, created_at }))
}

test('a key sees only the devices of its organization', async () => {
  const { app, admin, device, made, use } = await keyScene()
  const elsewhere = await holdings(app, admin.token, 'Hamburg', 'pc-2')
  const { key } = await made()
  const { status, body } = await use(key)
  expect(status).toBe(200)
  expect(body.data.map(({ id }) => id)).toEqual([device.deviceId])
  const foreign = { params: { id: elsewhere.device.deviceId } }
  expect((await app.call(readDevice, foreign, withKey(key))).status).toBe(404)
  expect((await app.call(listDevices, { query: { orgId: elsewhere.org.id } }, withKey(key))).status).toBe(403)
})

test('a key is limited to its scopes, and its calls are recorded with the key as actor', async () => {
  const { app, org, device, made } = await keyScene()
  const params = { id: device.deviceId }
  const pause = (key: string) => app.call(setDeviceMaintenance, { params, body: { enable: true } }, withKey(key))
  const reader = await made()
  expect((await pause(reader.key)).body).toMatchObject({ code: 'permission_denied' })
  const nothing = await made({ scopes: [] })
  expect((await pause(nothing.key)).body).toMatchObject({ code: 'no_permissions' })
  const writer = await made({ scopes: ['devices:write'] })
  expect((await pause(writer.key)).status).toBe(200)
  expect(auditOf(app, 'device.maintenance.enable')).toMatchObject([
    { org_id: org.id, actor_type: 'api_key', actor_id: writer.id, actor_email: null, initiated_by: 'integration' },
  ])
})

test('a key never satisfies an endpoint that requires a second factor: 403 MFA_REQUIRED', async () => {
  for (const ENABLE_2FA of ['true', 'false']) {
    const { app, admin, device, made } = await keyScene({ env: { ENABLE_2FA } })
    showFactor(app, admin.userId)
    const { key } = await made({ scopes: ['devices:write'] })
    const renamed = { params: { id: device.deviceId }, body: { displayName: 'x' } }
    const { status, body } = await app.call(updateDevice, renamed, withKey(key))
    expect([status, body.error, body.code]).toEqual([403, 'MFA required', 'MFA_REQUIRED'])
  }
})

test.each([
  ['unknown', wrong],
  ['too short', 'svc_x'],
  ['empty', ''],
  ['of a device', `brz_${'A'.repeat(32)}`],
  ['two at once', `${wrong}, ${wrong}`],
  ['very long', 'svc_'.repeat(2000)],
])('a key that is %s answers 401 like any other invalid key', async (_, key) => {
  const { app, use } = await keyScene()
  const before = app.rowCounts()
  const { status, body, headers } = await use(key)
  expect([status, body.error, body.code]).toEqual([401, 'Invalid API key', 'invalid_api_key'])
  expect(headers).not.toHaveProperty('x-ratelimit-limit')
  expect(app.rowCounts()).toEqual(before)
})

test('a bearer token takes precedence over an API key in the same call', async () => {
  const { app, admin } = await keyScene()
  const headers = { 'x-api-key': wrong }
  expect((await app.call(listDevices, {}, { token: admin.token, headers })).status).toBe(200)
  const basic = { ...headers, authorization: 'Basic eDp5' }
  expect((await app.call(listDevices, {}, { headers: basic })).body.code).toBe('invalid_api_key')
})

test('a key stops while its creator is disabled', async () => {
  const { app, colleague, made, use, read } = await keyScene()
  const creator = await colleague()
  const { id, key } = await made({}, creator.token)
  const become = (status: 'active' | 'disabled') =>
    app.db.run(q.updateTable('users').set({ status }).where('id', '=', creator.id))
  expect((await use(key)).status).toBe(200)
  become('disabled')
  expect(await use(key)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
  expect((await read(id)).body.problem).toBe('creator_inactive')
  become('active')
  expect((await use(key)).status).toBe(200)
})

test('a key stops when its creator is removed from the company', async () => {
  const { app, admin, colleague, made, use, read } = await keyScene()
  const creator = await colleague()
  const { id, key } = await made({}, creator.token)
  expect((await use(key)).status).toBe(200)
  const removed = await app.call(removeUser, { params: { id: creator.id } }, { token: admin.token })
  expect(removed.status, JSON.stringify(removed.body)).toBe(200)
  expect((await use(key)).status).toBe(401)
  expect((await read(id)).body.problem).toBe('creator_without_access')
})

test('a key stops when its creator leaves the company, whatever memberships they have elsewhere', async () => {
  const { app, admin, colleague, made, use, read } = await keyScene()
  const creator = await colleague({ isPlatformAdmin: true })
  const { id, key } = await made({}, creator.token)
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const { partnerId: partner_id } = await otherCompany(app)
  app.db.run(q.updateTable('partner_users').set({ partner_id }).where('user_id', '=', creator.id))
  join(app, { user_id: creator.id, org_id: sibling.id })
  expect((await use(key)).status).toBe(401)
  expect((await read(id)).body.problem).toBe('creator_without_access')
})

test('a key stops when its creator loses a permission behind one of its scopes', async () => {
  const { app, colleague, made, use, read } = await keyScene()
  const role = { name: 'Partner Viewer', scope: 'partner' }
  regrant(app, role, ['organizations:write', 'devices:read', 'devices:write'])
  const creator = await colleague({ role: role.name })
  const { id, key } = await made({ scopes: ['devices:read', 'devices:write'] }, creator.token)
  expect((await use(key)).status).toBe(200)
  regrant(app, role, ['organizations:write', 'devices:read'])
  expect((await use(key)).status).toBe(401)
  expect((await read(id)).body.problem).toBe('creator_lacks_permission')
})

test('a key stops when its creator loses the organization', async () => {
  const { app, admin, org, colleague, made, use, read } = await keyScene()
  const creator = await colleague({ orgAccess: 'selected', orgIds: [org.id] })
  const { id, key } = await made({}, creator.token)
  expect((await use(key)).status).toBe(200)
  const narrowed = (org_access: 'selected' | 'none', org_ids: JsonText<string[]> | null) =>
    app.db.run(q.updateTable('partner_users').set({ org_access, org_ids }).where('user_id', '=', creator.id))
  narrowed('selected', toJson([admin.partnerId]))
  expect((await use(key)).status).toBe(401)
  narrowed('none', toJson([org.id]))
  expect((await use(key)).status).toBe(401)
  expect((await read(id)).body.problem).toBe('creator_without_access')
})

test('a key does not show users when its creator has selected organizations only', async () => {
  const { app, org, colleague, create, made, read, rotate } = await keyScene()
  const part = { orgAccess: 'selected' as const, orgIds: [org.id] }
  const people = (key: string) => app.call(listUsers, {}, withKey(key))
  const confined = await colleague(part)
  for (const [scope, requiredPermission] of [
    ['users:read', 'users:read'],
    ['ai:execute_admin', '*:*'],
  ] as const)
    expect(await create({ scopes: [scope] }, confined.token)).toMatchObject({
      status: 403,
      body: { code: 'permission_not_held', details: { requiredPermission } },
    })

  const narrowed = await colleague({ email: 'narrowed@x.test' })
  const { id, key } = await made({ scopes: ['users:read'] }, narrowed.token)
  expect((await people(key)).status).toBe(200)
  expect((await rotate(id, confined.token)).body.code).toBe('permission_not_held')
  const values = { org_access: part.orgAccess, org_ids: toJson(part.orgIds) }
  app.db.run(q.updateTable('partner_users').set(values).where('user_id', '=', narrowed.id))
  expect((await people(key)).status).toBe(401)
  expect((await read(id)).body.problem).toBe('creator_lacks_permission')
})

test('a key stops when its creator is no longer an operator', async () => {
  const { app, made, use } = await keyScene()
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  const { key } = await made({ scopes: ['ai:execute_admin'] }, operator.token)
  expect((await use(key)).status).toBe(200)
  app.db.run(q.updateTable('users').set({ is_platform_admin: 0 }).where('id', '=', operator.id))
  expect((await use(key)).status).toBe(401)
})

test('a key is confined to the current sites of its creator', async () => {
  const { app, admin, org, site, device, made, use } = await keyScene()
  regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  const bare = await siteOf(app, admin.token, org.id, 'Bare')
  const confined = { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [bare.id] } as const
  const creator = await person(app, { ...confined, siteIds: [bare.id] })
  const { key } = await made({ scopes: ['devices:read', 'devices:write'] }, creator.token)
  const seen = async () => (await use(key)).body.data.map(({ id }) => id)
  expect(await seen()).toEqual([])
  const touched = { params: { id: device.deviceId }, body: { enable: true } }
  expect([403, 404]).toContain((await app.call(setDeviceMaintenance, touched, withKey(key))).status)
  const widen = (values: { site_ids?: JsonText<string[]> | null; device_group_ids?: JsonText<string[]> | null }) =>
    app.db.run(q.updateTable('organization_users').set(values).where('user_id', '=', creator.id))
  widen({ site_ids: toJson([bare.id, site.id]) })
  expect(await seen()).toEqual([device.deviceId])
  widen({ device_group_ids: toJson([bare.id]) })
  expect(await seen()).toEqual([])
})

test('a creator with two memberships confines a key by the one in the organization of the key', async () => {
  const { app, admin, org, colleague, made, use } = await keyScene()
  const bare = await siteOf(app, admin.token, org.id, 'Bare')
  const creator = await colleague()
  const { key } = await made({}, creator.token)
  expect((await use(key)).body.data).toHaveLength(1)
  join(app, { user_id: creator.id, org_id: org.id, site_ids: toJson([bare.id]) })
  expect((await use(key)).body.data).toEqual([])
})

test.each(['suspended', 'offboarding', 'churned', 'archived', 'merging', 'purging'] as const)(
  'a key of an organization that is %s is refused',
  async (status) => {
    const { app, org, made, use } = await keyScene()
    const { key } = await made()
    setOrganization(app, org.id, { status })
    expect((await use(key)).status).toBe(401)
    setOrganization(app, org.id, { status: 'trial' })
    expect((await use(key)).status).toBe(200)
  },
)

test.each(['pending', 'suspended', 'offboarding', 'churned'] as const)(
  'a key of a company that is %s is refused',
  async (status) => {
    const { app, admin, made, use } = await keyScene()
    const { key } = await made()
    setPartner(app, admin.partnerId, { status })
    expect((await use(key)).status).toBe(401)
  },
)

test('a key revoked while the body of its call is still arriving changes nothing', async () => {
  const { app, device, made, read, revoke } = await keyScene()
  const { id, key } = await made({ scopes: ['devices:write'] })
  const pause = (payload: PassThrough) =>
    app.inject({
      method: 'POST',
      url: `/api/v1/devices/${device.deviceId}/maintenance`,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      payload,
    })
  const uses = async () => (await read(id)).body.usageCount
  const [quick, slow] = [new PassThrough(), new PassThrough()]
  const answer = pause(quick.end('{"enable":true}'))
  expect((await answer).statusCode).toBe(200)
  expect(await uses(), 'it is one call, however often one looks').toBe(1)
  const late = pause(slow)
  await eventually(async () => expect(await uses()).toBe(2))
  await revoke(id)
  slow.end('{"enable":false}')
  expect((await late).statusCode).toBe(401)
  expect(auditOf(app, 'device.maintenance.disable')).toEqual([])
})

test('a key is limited to its calls per hour, and every answer has the rate limit headers', async () => {
  const { app, made, use, patch } = await keyScene()
  const { id, key } = await made({ rateLimit: 3 })
  const call = async () => {
    const { status, headers } = await use(key)
    const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers
    return [status, ...[limit, remaining, reset].map(Number)]
  }
  const start = app.clock.now() / 1000
  expect(await call()).toEqual([200, 3, 2, start + 3600])
  app.clock.advance(10 * minute)
  expect(await call()).toEqual([200, 3, 1, start + 3600])
  expect(await call()).toEqual([200, 3, 0, start + 3600])
  const { status, body, headers } = await use(key)
  expect([status, body.code, body.retryAfter, headers['retry-after']]).toEqual([429, 'rate_limited', 3000, '3000'])
  expect(await call()).toEqual([429, 3, 0, start + 3600])
  expect((await patch(id, { rateLimit: 4 })).status).toBe(200)
  expect(await call(), 'a new limit counts at once').toEqual([200, 4, 0, start + 3600])
  app.clock.advance(50 * minute)
  expect(await call(), 'the window slides').toEqual([200, 4, 0, start + 4200])
})

test('each key has a limit of its own, a refused call counts, and a rotation does not reset the count', async () => {
  const { app, device, made, use, rotate } = await keyScene()
  const [first, second] = [await made({ rateLimit: 2 }), await made({ rateLimit: 2 })]
  expect((await use(first.key)).status).toBe(200)
  const renamed = { params: { id: device.deviceId }, body: { displayName: 'x' } }
  const refused = await app.call(updateDevice, renamed, withKey(first.key))
  expect([refused.status, refused.headers['x-ratelimit-remaining']]).toEqual([403, '0'])
  expect((await use(first.key)).status).toBe(429)
  expect((await use(second.key)).status).toBe(200)
  const { key } = (await rotate(first.id)).body
  expect((await use(key)).status, 'a rotation makes no room').toBe(429)
})

test('failed keys are rate limited by address, whichever keys are tried', async () => {
  const { app, made, use } = await keyScene({ env: { API_KEY_PRELOOKUP_RATE_LIMIT: '3' } })
  const { key } = await made()
  expect((await use(key)).status).toBe(200)
  for (const guess of [wrong, 'x', `svc_${'B'.repeat(32)}`]) expect((await use(guess)).status).toBe(401)
  for (const any of [wrong, key]) {
    const { status, headers } = await use(any)
    expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([429, '3', '0'])
    expect(Number(headers['x-ratelimit-reset'])).toBe(app.clock.now() / 1000 + 60)
  }
  const elsewhere = { ...withKey(key), remoteAddress: '192.0.2.9' }
  expect((await app.call(listDevices, {}, elsewhere)).status).toBe(200)
  app.clock.advance(minute)
  expect((await use(key)).status).toBe(200)
})

test('the IP allow-list of the partner also applies to API keys, even to those of platform admins', async () => {
  const env = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8' }
  const { app, admin, made, use } = await keyScene({ env })
  const { id, key } = await made({ rateLimit: 1 })
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: ['203.0.113.0/24'] } }) })
  const from = (ip: string) => use(key, { 'x-forwarded-for': ip })
  const refused = await from('198.51.100.7')
  expect([refused.status, refused.body.code]).toEqual([403, 'IP_NOT_ALLOWED'])
  expect(refused.headers['x-ratelimit-remaining'], 'a call that is not allowed costs nothing').toBe('1')
  expect((await use(key)).body.code).toBe('untrusted_ip')
  expect((await from('203.0.113.9')).status).toBe(200)
  const [denied] = auditOf(app, 'ip_allowlist.denied')
  expect(denied).toMatchObject({ actor_type: 'api_key', actor_id: id, ip_address: '198.51.100.7', result: 'denied' })
})

test('uses are counted in memory and saved a second later and at shutdown', async () => {
  const { app, made, use, read, row } = await keyScene()
  const { id, key } = await made()
  for (let n = 0; n < 5; n++) expect((await use(key)).status).toBe(200)
  expect(row(id)).toMatchObject({ usage_count: 0, last_used_at: null })
  expect((await read(id)).body).toMatchObject({ usageCount: 5, lastUsedAt: isoNow(app.clock) })
  await eventually(() => expect(row(id)).toMatchObject({ usage_count: 5, last_used_at: isoNow(app.clock) }))
  app.clock.advance(minute)
  await use(key)
  expect((await read(id)).body).toMatchObject({ usageCount: 6, lastUsedAt: isoNow(app.clock) })
  await app.app.stop()
  expect(row(id)).toMatchObject({ usage_count: 6, last_used_at: isoNow(app.clock) })
})

test('a key is never written to a log, an event or a row', async () => {
  const { app, made, use, rotate } = await keyScene({ logs: true })
  const { id, key } = await made({ rateLimit: 2 })
  for (const status of [200, 200, 429]) expect((await use(key)).status).toBe(status)
  expect((await app.call(updateDevice, { params: { id }, body: {} }, withKey(key))).status).toBe(429)
  const rotated = (await rotate(id)).body.key
  expect((await use(key)).status).toBe(401)
  const rows = Object.keys(app.rowCounts()).flatMap((table) => app.db.statement(`SELECT * FROM "${table}"`).all())
  app.db.statement('DROP TABLE organization_users').run()
  expect((await use(rotated)).status).toBe(500)
  const told = [...app.logLines, ...rows.map((one) => JSON.stringify(one))]
  expect(app.logLines.some((line) => line.includes('A request failed'))).toBe(true)
  for (const secret of [key, rotated]) expect(told.filter((line) => line.includes(secret))).toEqual([])
})
