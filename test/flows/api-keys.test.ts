import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso, isoNow, minute } from '../../server/platform/clock.ts'
import { sha256 } from '../../server/platform/secrets.ts'
import { type ApiKeyScope, supportedScopes } from '../../shared/api/api-keys.ts'
import { grantableScopes } from '../../shared/api/in-use.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { regrant } from '../contract/stage.ts'
import { organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { keyScene } from './api-key-kit.ts'

/** Who may create, see, change and revoke API keys. */

const unknownId = '3f1f6a51-6b1e-4c1a-9a51-0d8a7d1c2b3e'

test('a new key is shown once, stored as a hash, and audited without the key', async () => {
  const { app, admin, org, create, read, row } = await keyScene()
  const { status, body, headers } = await create({ rateLimit: 5 })
  const { key, warning, ...rest } = body
  expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
  expect(key).toMatch(/^svc_[\w-]{32}$/)
  expect(warning).toContain('not shown again')
  expect(rest).toEqual({
    id: expect.any(String),
    orgId: org.id,
    orgName: 'Berlin',
    name: 'Inventory',
    keyPrefix: key.slice(0, 12),
    scopes: ['devices:read'],
    expiresAt: null,
    lastUsedAt: null,
    usageCount: 0,
    rateLimit: 5,
    createdBy: admin.userId,
    createdByName: 'Ada Admin',
    status: 'active',
    problem: null,
    source: 'manual',
    createdAt: isoNow(app.clock),
    updatedAt: isoNow(app.clock),
  })
  expect((await read(body.id)).body).toEqual(rest)
  expect(row(body.id)?.key_hash).toBe(sha256(key))
  const [event, ...others] = auditOf(app, 'api_key.create')
  expect(others).toEqual([])
  expect(event).toMatchObject({
    org_id: org.id,
    actor_id: admin.userId,
    resource_type: 'api_key',
    resource_id: body.id,
    resource_name: 'Inventory',
    details: { keyPrefix: key.slice(0, 12), scopes: ['devices:read'], rateLimit: 5, expiresAt: null },
  })
  expect(JSON.stringify(event)).not.toContain(key)
})

test('omitted fields default to 1000 calls an hour, no expiry and no scope', async () => {
  const { made } = await keyScene()
  expect(await made({ scopes: undefined as never })).toMatchObject({ rateLimit: 1000, expiresAt: null, scopes: [] })
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ rateLimit: 0 }, 'rateLimit'],
  [{ rateLimit: 100_001 }, 'rateLimit'],
  [{ expiresAt: 'tomorrow' }, 'expiresAt'],
  [{ orgId: 'x' }, 'orgId'],
])('%o is refused by the schema', async (fields, field) => {
  const { create } = await keyScene()
  const { status, body } = await create(fields)
  expect([status, Object.keys((body.details as { fieldErrors: object }).fieldErrors)]).toEqual([400, [field]])
})

test('an unknown scope and the wildcard are refused with the list of scopes', async () => {
  const { made, create, patch } = await keyScene()
  const { id } = await made()
  for (const scope of ['*', 'devices:*', '*:*', 'devices:delete', 'toString'])
    for (const { status, body } of [
      await create({ scopes: ['devices:read', scope] }),
      await patch(id, { scopes: [scope] }),
    ]) {
      expect([status, body.code], scope).toEqual([400, 'api_key_scope_unknown'])
      expect(body.details).toEqual({ supportedScopes: grantableScopes })
    }
  expect((await made({ scopes: ['users:read', 'users:read'] })).scopes).toEqual(['users:read'])
})

test('a scope that opens nothing cannot be granted, neither to a new key nor to one there is', async () => {
  const { app, made, create, patch, read } = await keyScene()
  const { id } = await made()
  const before = [(await read(id)).body, app.rowCounts().api_keys, app.rowCounts().audit_logs]
  const idle = supportedScopes.filter((scope) => !grantableScopes.includes(scope))
  expect(idle).toContain('alerts:read')
  for (const scope of idle)
    for (const { status, body } of [
      await create({ scopes: ['devices:read', scope] }),
      await patch(id, { scopes: ['devices:read', scope] }),
    ]) {
      expect([status, body.code, body.scope], scope).toEqual([400, 'api_key_scope_not_in_use', scope])
      expect(body.error).toBe(`scopes: ${scope} opens nothing and cannot be granted`)
      expect(body.details).toEqual({ supportedScopes: grantableScopes })
    }
  expect([(await read(id)).body, app.rowCounts().api_keys, app.rowCounts().audit_logs]).toEqual(before)
})

test('a key keeps a scope that it has from an older version until it is taken away', async () => {
  const { app, made, patch, rotate, read } = await keyScene()
  const { id } = await made()
  const older = toJson<ApiKeyScope[]>(['devices:read', 'alerts:read'])
  app.db.run(q.updateTable('api_keys').set({ scopes: older }).where('id', '=', id))
  const scopesAfter = async ({ status }: { status: number }) => [status, (await read(id)).body.scopes]
  expect(await scopesAfter(await patch(id, { name: 'Renamed' }))).toEqual([200, ['devices:read', 'alerts:read']])
  expect(await scopesAfter(await rotate(id))).toEqual([200, ['devices:read', 'alerts:read']])
  expect(await scopesAfter(await patch(id, { scopes: ['alerts:read', 'users:read'] }))).toEqual([
    200,
    ['alerts:read', 'users:read'],
  ])
  expect(await scopesAfter(await patch(id, { scopes: ['users:read'] }))).toEqual([200, ['users:read']])
  expect(await scopesAfter(await patch(id, { scopes: ['users:read', 'alerts:read'] }))).toEqual([400, ['users:read']])
})

test('an expiry in the past is refused, and one with an offset is stored in UTC', async () => {
  const { app, create, made } = await keyScene()
  expect((await create({ expiresAt: isoNow(app.clock) })).body.code).toBe('expiry_past')
  const { expiresAt } = await made({ expiresAt: '2026-03-01T11:00:00+01:00' })
  expect(expiresAt).toBe('2026-03-01T10:00:00.000Z')
})

test('a scope that the caller does not hold is refused', async () => {
  const { app, org, create } = await keyScene()
  const role = { name: 'Org Admin', scope: 'organization' }
  regrant(
    app,
    role,
    allPermissions.filter((one) => one !== 'users:read'),
  )
  const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  const missing = async (...scopes: string[]) => {
    const { status, body } = await create({ scopes }, token)
    return [status, body.details]
  }
  expect(await missing('devices:read')).toEqual([201, undefined])
  expect(await missing('ai:write')).toEqual([201, undefined])
  expect(await missing('devices:read', 'users:read')).toEqual([403, { requiredPermission: 'users:read' }])
  expect(await missing('ai:execute_admin'), 'all there are is not everything').toEqual([
    403,
    { requiredPermission: '*:*' },
  ])
})

test('the list is newest first, paged, filtered by organization and status, and contains no hash', async () => {
  const { app, admin, org, made, list, revoke } = await keyScene()
  const other = await organizationOf(app, admin.token, 'Hamburg')
  const ids: string[] = []
  for (const orgId of [org.id, other.id, org.id]) {
    ids.push((await made({ orgId, expiresAt: orgId === other.id ? '2026-03-01T09:10:00Z' : null })).id)
    app.clock.advance(1000)
  }
  const idsOf = async (query = {}) => (await list(query)).body.data.map(({ id }) => id)
  const [first, second, third] = ids as [string, string, string]
  const { body } = await list()
  expect(body).toMatchObject({ pagination: { page: 1, limit: 50, total: 3 }, isAdmin: true })
  expect(body.data.map(({ id }) => id)).toEqual([third, second, first])
  expect(JSON.stringify(body)).not.toMatch(/hash/i)
  expect(await idsOf({ page: '2', limit: '2' })).toEqual([first])
  expect(await idsOf({ orgId: other.id })).toEqual([second])
  await revoke(third)
  expect(await idsOf({ status: 'revoked' })).toEqual([third])
  expect(await idsOf({ status: 'active' })).toEqual([second, first])
  app.clock.advance(10 * minute)
  expect(await idsOf({ status: 'expired' })).toEqual([second])
  expect(await idsOf({ status: 'active' })).toEqual([first])
  expect((await list({ status: 'dead' })).status).toBe(400)
})

test('a key is found by a part of its name and by its prefix', async () => {
  const { made, list } = await keyScene()
  const backup = await made({ name: 'Nightly 100% backup' })
  await made({ name: 'Inventory' })
  const found = async (search: string) => (await list({ search })).body.data.map(({ name }) => name)
  expect(await found('night')).toEqual([backup.name])
  expect(await found('0% b')).toEqual([backup.name])
  expect(await found('n%k')).toEqual([])
  expect(await found(backup.keyPrefix)).toEqual([backup.name])
  expect(await found(backup.keyPrefix.slice(4))).toEqual([])
})

test('keys of other companies and of organizations out of reach answer 404', async () => {
  const { app, admin, org, made, list, read, patch, revoke, rotate, colleague } = await keyScene()
  const { id } = await made()
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const other = await otherCompany(app)
  const selected = await colleague({ orgAccess: 'selected', orgIds: [sibling.id] })
  regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  const neighbour = await person(app, { email: 'n@x.test', scope: 'organization', orgId: sibling.id })
  for (const token of [other.admin.token, neighbour.token, selected.token]) {
    const tries = [read(id, token), patch(id, { name: 'x' }, token), revoke(id, token), rotate(id, token)]
    for (const answer of await Promise.all(tries))
      expect([answer.status, answer.body.code]).toEqual([404, 'api_key_not_found'])
    expect((await list({ orgId: org.id }, token)).body.code).toBe('org_access_denied')
    expect((await list({}, token)).body.data).toEqual([])
  }
  expect((await list({}, neighbour.token)).body.isAdmin).toBe(false)
  setOrganization(app, org.id, { status: 'archived' })
  expect((await read(id)).body.code, 'out of sight, not out of reach').toBe('api_key_not_found')
  expect((await read(unknownId)).body.code).toBe('api_key_not_found')
  expect((await read('x')).status).toBe(404)
})

test('a key can only be made for an active organization within reach', async () => {
  const { app, admin, org, create, colleague, made, rotate, revoke } = await keyScene()
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const { token } = await colleague({ orgAccess: 'selected', orgIds: [sibling.id] })
  for (const orgId of [org.id, unknownId])
    expect((await create({ orgId, scopes: ['*'] }, token)).body).toMatchObject({ code: 'org_access_denied' })
  const { id } = await made({ orgId: sibling.id })
  setOrganization(app, sibling.id, { status: 'suspended' })
  expect((await create({ orgId: sibling.id }, token)).body.code).toBe('ORG_NOT_OPERABLE')
  expect((await rotate(id)).body.code).toBe('ORG_NOT_OPERABLE')
  expect((await revoke(id)).status, 'for good, before it is in service again').toBe(200)
})

test('the name, limit and scopes of a key can be changed, and the changes are recorded', async () => {
  const { app, made, patch } = await keyScene()
  const { id, createdAt } = await made()
  app.clock.advance(1000)
  const { status, body } = await patch(id, { name: 'Reports', scopes: ['users:read'], rateLimit: 7 })
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: 'Reports', scopes: ['users:read'], rateLimit: 7, createdAt })
  expect(body.updatedAt).toBe(isoNow(app.clock))
  expect(body).not.toHaveProperty('key')
  expect(auditOf(app, 'api_key.update')).toMatchObject([
    {
      resource_id: id,
      details: {
        changedFields: ['name', 'scopes', 'rateLimit'],
        before: { name: 'Inventory', scopes: ['devices:read'], rateLimit: 1000 },
        after: { name: 'Reports', scopes: ['users:read'], rateLimit: 7 },
      },
    },
  ])
  expect((await patch(id, {})).body).toMatchObject({ error: 'No updates provided', code: 'no_updates' })
  expect((await patch(id, { expiresAt: null } as never)).status).toBe(400)
})

test('a revoked key stays as a read-only record', async () => {
  const { app, made, revoke, patch, rotate, read, use } = await keyScene()
  const { id, key, name, keyPrefix } = await made()
  app.clock.advance(1000)
  expect(await revoke(id)).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: 'API key revoked successfully',
      apiKey: { id, name, keyPrefix, status: 'revoked', updatedAt: isoNow(app.clock) },
    },
  })
  expect((await use(key)).status).toBe(401)
  expect((await revoke(id)).body).toMatchObject({ error: 'API key is already revoked' })
  for (const { status, body } of [await patch(id, { name: 'x' }), await rotate(id)])
    expect([status, body.code, body.error]).toEqual([400, 'api_key_not_active', 'API key is revoked'])
  expect((await read(id)).body).toMatchObject({ status: 'revoked', problem: null })
  expect(auditOf(app, 'api_key.revoke')).toMatchObject([
    { resource_id: id, details: { keyPrefix, previousStatus: 'active' } },
  ])
})

test('after a rotation the old key is invalid at once and the usage count restarts', async () => {
  const { app, made, rotate, use } = await keyScene()
  const before = await made({ expiresAt: '2026-04-01T00:00:00Z' })
  await use(before.key)
  app.db.run(q.updateTable('api_keys').set({ usage_count: 7, last_used_at: isoNow(app.clock) }))
  const { status, body } = await rotate(before.id)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: before.id, usageCount: 0, lastUsedAt: null, expiresAt: before.expiresAt })
  expect(body.key).not.toBe(before.key)
  expect(body.keyPrefix).toBe(body.key.slice(0, 12))
  expect((await use(before.key)).status).toBe(401)
  expect((await use(body.key)).status).toBe(200)
  expect(auditOf(app, 'api_key.rotate')).toMatchObject([
    { resource_id: before.id, details: { keyPrefix: body.keyPrefix, previousKeyPrefix: before.keyPrefix } },
  ])
})

test('of ten simultaneous rotations one key remains, and the row matches it', async () => {
  const { app, made, rotate, read, use } = await keyScene()
  const { id } = await made()
  const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(id)))
  expect(new Set(answers.map(({ body }) => body.key)).size).toBe(10)
  const working: string[] = []
  for (const { body } of answers) if ((await use(body.key)).status === 200) working.push(body.key)
  expect(working).toHaveLength(1)
  expect((await read(id)).body.keyPrefix).toBe(working[0]?.slice(0, 12))
  expect(auditOf(app, 'api_key.rotate')).toHaveLength(10)
})

test('the key of a more powerful colleague cannot be rotated or changed, but can be revoked', async () => {
  const { app, org, site, made, rotate, patch, revoke, use } = await keyScene()
  regrant(
    app,
    { name: 'Org Admin', scope: 'organization' },
    allPermissions.filter((one) => one !== 'alerts:write'),
  )
  const { id, key } = await made()
  const within = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  for (const { status, body } of [await rotate(id, within.token), await patch(id, { name: 'Mine' }, within.token)])
    expect([status, body.code], 'of somebody above the organization').toEqual([403, 'api_key_beyond_caller'])
  expect((await use(key)).status, 'nothing happened to it').toBe(200)

  const own = await made({}, within.token)
  const confined = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  expect((await rotate(own.id, confined.token)).body, 'of somebody who sees more sites').toMatchObject({
    code: 'reach_wider_than_own',
  })
  expect((await rotate((await made({}, confined.token)).id, within.token)).status).toBe(200)

  expect((await revoke(id, within.token)).status).toBe(200)
})

test('a caller cannot gain permissions by rotating or changing the key of somebody who holds them', async () => {
  const { app, made, rotate, patch, colleague } = await keyScene()
  regrant(app, { name: 'Partner Viewer', scope: 'partner' }, ['organizations:write', 'devices:read'])
  const viewer = await colleague({ role: 'Partner Viewer' })
  const strong = await made({ scopes: ['devices:write'] })
  const denied = {
    status: 403,
    body: { code: 'permission_not_held', details: { requiredPermission: 'devices:write' } },
  }
  expect(await rotate(strong.id, viewer.token)).toMatchObject(denied)
  expect(await patch(strong.id, { scopes: ['devices:read'] }, viewer.token)).toMatchObject(denied)
  const weak = await made({ scopes: ['devices:read'] })
  expect(await patch(weak.id, { scopes: ['devices:write'] }, viewer.token)).toMatchObject(denied)
  expect((await patch(weak.id, { name: 'Seen' }, viewer.token)).status).toBe(200)
  expect((await rotate(weak.id, viewer.token)).status).toBe(200)
})

test('a key cannot get a scope that its creator does not hold', async () => {
  const { app, made, patch, colleague } = await keyScene()
  regrant(app, { name: 'Partner Viewer', scope: 'partner' }, ['organizations:write', 'devices:read'])
  const viewer = await colleague({ role: 'Partner Viewer' })
  const { id } = await made({}, viewer.token)
  const { status, body } = await patch(id, { scopes: ['devices:read', 'devices:write'] })
  expect([status, body.code]).toEqual([403, 'api_key_beyond_creator'])
  expect((await patch(id, { scopes: [] })).status).toBe(200)
})

test('a key whose creator is disabled reports the problem and can only be revoked', async () => {
  const { app, made, read, patch, rotate, revoke, colleague } = await keyScene()
  const creator = await colleague()
  const { id } = await made({}, creator.token)
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', creator.id))
  expect((await read(id)).body).toMatchObject({ status: 'active', problem: 'creator_inactive' })
  for (const { status, body } of [await patch(id, { name: 'x' }), await rotate(id)])
    expect([status, body.code, body.problem]).toEqual([403, 'api_key_without_creator', 'creator_inactive'])
  expect((await revoke(id)).status).toBe(200)
  expect((await read(id)).body, 'nothing to be mended any more').toMatchObject({ status: 'revoked', problem: null })
})

test('an expired key becomes expired on its next use and cannot be rotated', async () => {
  const { app, made, use, row, read, rotate, patch, revoke } = await keyScene()
  const { id, key } = await made({ expiresAt: iso(app.clock.now() + minute) })
  app.clock.advance(minute - 1)
  expect((await use(key)).status).toBe(200)
  app.clock.advance(1)
  expect(row(id)?.status).toBe('active')
  expect((await rotate(id)).body, 'used since or not').toMatchObject({ code: 'api_key_not_active' })
  expect((await use(key)).status).toBe(401)
  expect(row(id)).toMatchObject({ status: 'expired', updated_at: isoNow(app.clock) })
  app.clock.advance(minute)
  const version = app.db.version(['api_keys'])
  expect((await use(key)).status).toBe(401)
  expect(app.db.version(['api_keys']), 'it is marked once').toBe(version)
  expect((await read(id)).body.status).toBe('expired')
  for (const { status, body } of [await patch(id, { name: 'x' }), await rotate(id)])
    expect([status, body.error]).toEqual([400, 'API key is expired'])
  expect((await revoke(id)).status).toBe(200)
  expect((await read(id)).body.status).toBe('revoked')
})
