import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import * as api from '../../shared/api/enrollment-keys.ts'
import { bootstrapped, enrollBody, organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** What a person does with enrollment keys. */

const day = 24 * 60 * 60 * 1000
const unlimited = { HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60' }

async function scene(app: TestApp) {
  const { token, partnerId, userId } = await bootstrapped(app)
  const org = await organizationOf(app, token)
  const site = await siteOf(app, token, org.id)
  const create = (body: Record<string, unknown>, as = token) =>
    app.call(api.createEnrollmentKey, { body: { name: 'Rollout', orgId: org.id, ...body } as never }, { token: as })
  return { token, partnerId, userId, org, site, create }
}

/** For the tests that leave nothing behind. */
const shared = testApp({ env: unlimited }).then(async (app) => ({ app, ...(await scene(app)) }))
afterAll(async () => (await shared).app[Symbol.asyncDispose]())

const enroll = async (app: TestApp, key: string) =>
  (await app.inject({ method: 'POST', url: '/api/v1/agents/enroll', payload: enrollBody(key) })).json()

test('a key is good for one use and thirty days by default', async () => {
  await using app = await testApp()
  const { org, userId, create } = await scene(app)
  const { status, body } = await create({})
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(String),
    orgId: org.id,
    siteId: null,
    name: 'Rollout',
    usageCount: 0,
    maxUsage: 1,
    expiresAt: new Date(app.clock.now() + 30 * day).toISOString(),
    createdBy: userId,
    createdAt: new Date(app.clock.now()).toISOString(),
    updatedAt: new Date(app.clock.now()).toISOString(),
    shortCode: null,
    installerPlatform: null,
    key: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(auditOf(app, 'enrollment_key.create')).toMatchObject([
    { resource_id: body.id, org_id: org.id, details: { siteId: null, maxUsage: 1, expiresAt: body.expiresAt } },
  ])
})

test('the raw key is returned by create and rotate only, and a hash never', async () => {
  await using app = await testApp({ logs: true })
  const { token, site, create } = await scene(app)
  const { body: made } = await create({ siteId: site.id })
  const { body: rotated } = await app.call(api.rotateEnrollmentKey, { params: { id: made.id } }, { token })
  expect(rotated.key).toMatch(/^[0-9a-f]{64}$/)
  expect(rotated.key).not.toBe(made.key)
  const list = await app.call(api.listEnrollmentKeys, {}, { token })
  const one = await app.call(api.readEnrollmentKey, { params: { id: made.id } }, { token })
  const stored = app.db.first(q.selectFrom('enrollment_keys').selectAll().where('id', '=', made.id))
  const everything = [JSON.stringify([list.body, one.body]), app.logLines.join(''), String(app.db.serialize())]
  for (const text of everything) for (const raw of [made.key, rotated.key]) expect(text).not.toContain(raw)
  for (const answer of [made, rotated, list.body, one.body]) {
    expect(JSON.stringify(answer)).not.toContain(stored?.key)
    expect(JSON.stringify(answer)).not.toMatch(/hash/i)
  }
  expect(list.body.data[0]).toEqual({ ...one.body, installerTokens: null })
  expect(one.body).not.toHaveProperty('key')
})

test.each([
  ['an unknown field', { color: 'red' }, /color/],
  ['both expiry fields', { expiresAt: '2026-04-01T00:00:00Z', ttlMinutes: 5 }, /not both/],
  ['an expiry that has passed', { expiresAt: '2026-02-28T00:00:00Z' }, /future/],
  ['an expiry of this very moment', { expiresAt: '2026-03-01T09:00:00Z' }, /future/],
  ['a date without time', { expiresAt: '2026-04-01' }, /expiresAt/],
  ['no use', { maxUsage: 0 }, /maxUsage/],
  ['too many uses', { maxUsage: 100_001 }, /maxUsage/],
  ['half a use', { maxUsage: 1.5 }, /maxUsage/],
  ['unlimited uses at creation', { maxUsage: null }, /maxUsage/],
  ['no time', { ttlMinutes: 0 }, /ttlMinutes/],
  ['more than a year', { ttlMinutes: 525_601 }, /ttlMinutes/],
  ['an empty name', { name: '' }, /name/],
  ['an over-long name', { name: 'x'.repeat(256) }, /name/],
])('%s is refused with 400 and makes no key', async (_, wanted, error) => {
  const { app, create } = await shared
  expect(await create(wanted)).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  expect(app.rowCounts().enrollment_keys).toBe(0)
})

test('validity may be given in minutes or as an instant with any offset', async () => {
  await using app = await testApp()
  const { create } = await scene(app)
  expect((await create({ ttlMinutes: 90 })).body.expiresAt).toBe('2026-03-01T10:30:00.000Z')
  expect((await create({ expiresAt: '2026-03-02T01:00:00+01:00' })).body.expiresAt).toBe('2026-03-02T00:00:00.000Z')
})

test('a new key needs an organization in reach and a site in it', async () => {
  await using app = await testApp({ env: unlimited })
  const { token, partnerId, org, site, create } = await scene(app)
  const foreign = await otherCompany(app)
  expect((await create({ orgId: undefined })).body.orgId, 'the only one there is').toBe(org.id)
  await organizationOf(app, token, 'Second')
  expect(await create({ orgId: undefined })).toMatchObject({
    status: 400,
    body: { error: 'orgId is required when partner has multiple organizations' },
  })
  expect(await create({ siteId: foreign.site.id })).toMatchObject({
    status: 400,
    body: { error: 'siteId does not belong to the specified org' },
  })
  expect(await create({ orgId: foreign.org.id })).toMatchObject({
    status: 403,
    body: { error: 'Access to this organization denied' },
  })
  const system = await person(app, { email: 'root@box.test', scope: 'system' })
  expect(await create({ orgId: undefined }, system.token)).toMatchObject({
    status: 400,
    body: { error: 'orgId is required' },
  })
  const orgAdmin = await person(app, { email: 'org@acme.test', scope: 'organization', orgId: org.id })
  expect((await create({}, orgAdmin.token)).status, 'no built-in role of an organization may').toBe(403)
  const role_id = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  app.db.run(q.updateTable('organization_users').set({ role_id }).where('user_id', '=', orgAdmin.id))
  expect((await create({ orgId: undefined, siteId: site.id }, orgAdmin.token)).body.orgId).toBe(org.id)
  expect(await create({ orgId: foreign.org.id }, orgAdmin.token)).toMatchObject({
    status: 403,
    body: { error: 'Can only create enrollment keys for your organization' },
  })
  const reader = await person(app, { email: 'view@acme.test', scope: 'partner', partnerId, role: 'Partner Viewer' })
  expect((await create({}, reader.token)).status).toBe(403)
})

test('the eleventh key within a minute is 429 with Retry-After', async () => {
  await using app = await testApp()
  const { create } = await scene(app)
  for (let n = 0; n < 10; n++) expect((await create({})).status).toBe(201)
  app.clock.advance(10_000)
  expect(await create({})).toMatchObject({ status: 429, headers: { 'retry-after': '50' }, body: { retryAfter: 50 } })
  app.clock.advance(50_000)
  expect((await create({})).status).toBe(201)
})

test('the list is newest first, paged, and can be filtered by expiry', async () => {
  await using app = await testApp({ env: unlimited })
  const { token, create } = await scene(app)
  const names = async (query: Record<string, string>) => {
    const { body } = await app.call(api.listEnrollmentKeys, { query }, { token })
    return [body.data.map(({ name }) => name), body.pagination]
  }
  for (const [name, ttlMinutes] of [
    ['short', 10],
    ['long', 100],
    ['longer', 1000],
  ] as const) {
    await create({ name, ttlMinutes })
    app.clock.advance(1000)
  }
  app.clock.advance(10 * 60_000)
  expect(await names({})).toEqual([['longer', 'long', 'short'], { page: 1, limit: 50, total: 3 }])
  expect(await names({ page: '2', limit: '2' })).toEqual([['short'], { page: 2, limit: 2, total: 3 }])
  expect(await names({ expired: 'true' })).toEqual([['short'], { page: 1, limit: 50, total: 1 }])
  expect((await names({ expired: 'false' }))[0]).toEqual(['longer', 'long'])
  expect((await names({ limit: '1000' }))[1]).toMatchObject({ limit: 100 })
})

test('a key cannot be listed, read, rotated, deleted or purged by another company', async () => {
  await using app = await testApp({ env: unlimited })
  const { org, create } = await scene(app)
  const { body: made } = await create({ ttlMinutes: 1 })
  const { admin, key } = await otherCompany(app)
  app.clock.advance(60_000)
  const { token } = admin
  const params = { id: made.id }
  expect((await app.call(api.listEnrollmentKeys, {}, { token })).body.data.map(({ id }) => id)).toEqual([key.id])
  expect(await app.call(api.listEnrollmentKeys, { query: { orgId: org.id } }, { token })).toMatchObject({
    status: 403,
    body: { error: 'Access to this organization denied' },
  })
  const missing = { status: 404, body: { error: 'Enrollment key not found' } }
  expect(await app.call(api.readEnrollmentKey, { params }, { token })).toMatchObject(missing)
  expect(await app.call(api.rotateEnrollmentKey, { params }, { token })).toMatchObject(missing)
  expect(await app.call(api.deleteEnrollmentKey, { params }, { token })).toMatchObject(missing)
  expect((await app.call(api.purgeExpiredEnrollmentKeys, {}, { token })).body).toEqual({
    success: true,
    deletedCount: 0,
  })
  expect((await app.call(api.readEnrollmentKey, { params: { id: 'nonsense' } }, { token })).status).toBe(404)
})

test('rotation replaces the key, resets its uses, and keeps limit and expiry unless others are given', async () => {
  await using app = await testApp()
  const { token, site, create } = await scene(app)
  const { body: made } = await create({ siteId: site.id, maxUsage: 2, ttlMinutes: 60 })
  const rotate = (body?: Record<string, unknown>) =>
    app.call(api.rotateEnrollmentKey, { params: { id: made.id }, body: body as never }, { token })
  await enroll(app, made.key)
  const { body: rotated } = await rotate()
  expect(rotated).toMatchObject({ id: made.id, usageCount: 0, maxUsage: 2, expiresAt: made.expiresAt })
  expect((await enroll(app, made.key)).reason).toBe('enrollment_key_not_found')
  expect((await enroll(app, rotated.key)).orgId).toBe(made.orgId)
  expect((await rotate({ maxUsage: null, expiresAt: '2026-05-01T00:00:00Z' })).body).toMatchObject({
    maxUsage: null,
    expiresAt: '2026-05-01T00:00:00.000Z',
  })
  for (const wrong of [{ expiresAt: '2026-01-01T00:00:00Z' }, { maxUsage: 0 }, { name: 'x' }])
    expect((await rotate(wrong)).status).toBe(400)
  expect(auditOf(app, 'enrollment_key.rotate')).toHaveLength(2)
})

test('an expired key is usable for thirty days once rotated', async () => {
  await using app = await testApp()
  const { token, site, create } = await scene(app)
  const { body: made } = await create({ siteId: site.id, ttlMinutes: 1 })
  app.clock.advance(60_000)
  const { body: rotated } = await app.call(api.rotateEnrollmentKey, { params: { id: made.id } }, { token })
  expect(rotated.expiresAt).toBe(new Date(app.clock.now() + 30 * day).toISOString())
  expect(await enroll(app, rotated.key)).toHaveProperty('agentId')
})

test('a key without limit of uses lets in one device after another', async () => {
  await using app = await testApp()
  const { token, site, create } = await scene(app)
  const { body: made } = await create({ siteId: site.id })
  const { body: open } = await app.call(
    api.rotateEnrollmentKey,
    { params: { id: made.id }, body: { maxUsage: null } },
    { token },
  )
  for (let n = 0; n < 3; n++) expect(await enroll(app, open.key)).toHaveProperty('agentId')
})

test('a deleted key enrolls no device, and its devices stay', async () => {
  await using app = await testApp()
  const { token, site, create } = await scene(app)
  const { body: made } = await create({ siteId: site.id, maxUsage: 5 })
  await enroll(app, made.key)
  const params = { id: made.id }
  expect((await app.call(api.deleteEnrollmentKey, { params }, { token })).body).toEqual({
    success: true,
    message: 'Enrollment key deleted successfully',
  })
  expect((await enroll(app, made.key)).reason).toBe('enrollment_key_not_found')
  expect((await app.call(api.deleteEnrollmentKey, { params }, { token })).status).toBe(404)
  expect(app.rowCounts().devices).toBe(1)
  expect(auditOf(app, 'enrollment_key.delete')).toHaveLength(1)
})

test('purging deletes the expired keys and no other', async () => {
  await using app = await testApp({ env: unlimited })
  const { token, create } = await scene(app)
  await create({ ttlMinutes: 1 })
  await create({ ttlMinutes: 1 })
  const { body: kept } = await create({ ttlMinutes: 2 })
  app.clock.advance(60_000)
  expect((await app.call(api.purgeExpiredEnrollmentKeys, {}, { token })).body.deletedCount).toBe(2)
  expect((await app.call(api.listEnrollmentKeys, {}, { token })).body.data.map(({ id }) => id)).toEqual([kept.id])
})

test('downloading a signed installer is 501 INSTALLER_UNAVAILABLE', async () => {
  await using app = await testApp()
  const { token, create } = await scene(app)
  const { body: made } = await create({})
  expect(
    await app.call(api.downloadInstaller, { params: { id: made.id, platform: 'windows' } }, { token }),
  ).toMatchObject({ status: 501, body: { code: 'INSTALLER_UNAVAILABLE' } })
})
