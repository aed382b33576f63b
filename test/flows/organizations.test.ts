import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import {
  createOrganization,
  listOrganizations,
  readOrganization,
  replaceOrganization,
} from '../../shared/api/organizations.ts'
import { organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { companyScene, lastDetails, organizationsAs, setStatus } from './organization-kit.ts'

test('an organization is created as requested, with an audit event', async () => {
  const { app, admin, create, read } = await companyScene()
  await using _ = app
  const { status, body } = await create({
    name: ' Berlin ',
    slug: 'berlin',
    status: 'trial',
    maxDevices: 0,
    contractStart: '2026-01-01',
    contractEnd: '2026-12-31T23:59:59+02:00',
    settings: { a: { b: [1] } },
    ssoConfig: { issuer: 'x', clientSecret: 's', client_secret: 's', privateKey: 's' },
    billingContact: { email: 'b@x.test' },
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    partnerId: admin.partnerId,
    name: 'Berlin',
    type: 'customer',
    status: 'trial',
    maxDevices: 0,
    contractStart: '2026-01-01T00:00:00.000Z',
    contractEnd: '2026-12-31T21:59:59.000Z',
    settings: { a: { b: [1] } },
    ssoConfig: { issuer: 'x' },
    deletedAt: null,
  })
  expect(body).not.toHaveProperty('deviceCount')
  expect((await read(body.id)).body).toEqual(body)
  expect(auditOf(app, 'organization.create')).toMatchObject([{ org_id: body.id, result: 'success' }])
  expect(lastDetails(app, 'organization.create')).toEqual({
    partnerId: admin.partnerId,
    status: 'trial',
    type: 'customer',
  })
})

test('a slug is unique within its company regardless of case, and stays reserved after deletion', async () => {
  const { app, create, update } = await companyScene()
  await using _ = app
  const { body: acme } = await create({ name: 'A', slug: 'Acme' })
  const { body: other } = await create({ name: 'B', slug: 'other' })
  expect((await create({ name: 'C', slug: 'aCME' })).body.error).toBe('That organization slug is already in use')
  expect((await update(other.id, { slug: 'ACME' })).status).toBe(409)
  expect((await update(acme.id, { slug: 'acme' })).body.slug).toBe('acme')
  app.db.run(q.updateTable('organizations').set({ deleted_at: 'x', status: 'churned' }).where('id', '=', acme.id))
  const reserved = await create({ name: 'C', slug: 'Acme' })
  expect([reserved.status, reserved.body.error]).toEqual([
    409,
    'That organization slug is still reserved by a deleted organization',
  ])
  const umbrella = await otherCompany(app)
  const elsewhere = await app.call(
    createOrganization,
    { body: { name: 'A', slug: 'acme' } },
    { token: umbrella.admin.token },
  )
  expect(elsewhere.status).toBe(201)
  expect(auditOf(app, 'organization.create')).toHaveLength(4)
})

test.each<[what: string, body: Record<string, unknown>]>([
  ['no name', { slug: 'x' }],
  ['a blank name', { name: '  ', slug: 'x' }],
  ['a long name', { name: 'x'.repeat(256), slug: 'x' }],
  ['a name with a line break', { name: 'a\nb', slug: 'x' }],
  ['no slug', { name: 'x' }],
  ['a blank slug', { name: 'x', slug: ' ' }],
  ['a long slug', { name: 'x', slug: 'x'.repeat(101) }],
  ['an unknown type', { name: 'x', slug: 'x', type: 'rival' }],
  ['a status of the engine', { name: 'x', slug: 'x', status: 'archived' }],
  ['a negative cap', { name: 'x', slug: 'x', maxDevices: -1 }],
  ['half a device', { name: 'x', slug: 'x', maxDevices: 1.5 }],
  ['a day that is none', { name: 'x', slug: 'x', contractStart: '2026-02-30' }],
  ['a date in words', { name: 'x', slug: 'x', contractEnd: 'tomorrow' }],
  ['settings that are a list', { name: 'x', slug: 'x', settings: [] }],
])('an organization with %s is refused and nothing is stored', async (_, body) => {
  const { app, create } = await companyScene()
  await using __ = app
  expect((await create(body)).status).toBe(400)
  expect([app.rowCounts().organizations, auditOf(app, 'organization.create').length]).toEqual([0, 0])
})

test('a company at its limit cannot add organizations: archived ones count, deleted ones do not', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  const plan = (plan: 'pro' | 'unlimited', max_organizations: number | null) =>
    app.db.run(q.updateTable('partners').set({ plan, max_organizations }).where('id', '=', admin.partnerId))
  plan('pro', 2)
  const { body: one } = await create({ name: '1', slug: '1' })
  const { body: two } = await create({ name: '2', slug: '2' })
  setStatus(app, two.id, 'archived')
  const { status, body } = await create({ name: '3', slug: '3' })
  expect([status, body.code, body.error]).toEqual([409, 'ORGANIZATION_LIMIT_REACHED', 'Organization limit reached (2)'])
  app.db.run(q.updateTable('organizations').set({ deleted_at: 'x' }).where('id', '=', one.id))
  expect((await create({ name: '3', slug: '3' })).status).toBe(201)
  expect((await create({ name: '4', slug: '4' })).status).toBe(409)
  plan('pro', null)
  expect((await create({ name: '4', slug: '4' })).status).toBe(201)
  plan('unlimited', 0)
  expect((await create({ name: '5', slug: '5' })).status).toBe(201)
})

test('a change is partial, updates the timestamp and is recorded with the changed fields', async () => {
  const { app, create, update } = await companyScene()
  await using _ = app
  const { body: before } = await create({ name: 'A', slug: 'a', maxDevices: 5, billingContact: { name: 'Bo' } })
  expect(before.billingContact).toMatchObject({ name: 'Bo' })
  app.clock.advance(5000)
  const { status, body } = await update(before.id, { name: 'B', billingContact: null, maxDevices: null })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...before,
    name: 'B',
    billingContact: null,
    maxDevices: null,
    updatedAt: new Date(app.clock.now()).toISOString(),
  })
  expect(lastDetails(app, 'organization.update')).toEqual({
    changedFields: ['name', 'maxDevices', 'billingContact'],
    before: { name: 'A', maxDevices: 5 },
    after: { name: 'B', maxDevices: null },
  })
  await update(before.id, { status: 'suspended' })
  expect(lastDetails(app, 'organization.update')).toEqual({
    changedFields: ['status'],
    before: { status: 'active' },
    after: { status: 'suspended' },
    fromStatus: 'active',
    toStatus: 'suspended',
  })
  expect(auditOf(app, 'organization.update')).toHaveLength(2)
})

test('a change without fields answers 400, and the company of an organization never changes', async () => {
  const { app, create, update } = await companyScene()
  await using _ = app
  const other = await otherCompany(app)
  const { body: org } = await create({ name: 'A', slug: 'a' })
  for (const body of [{}, { partnerId: other.partnerId }, { unknown: 1 }, { id: 'x', deletedAt: null }])
    expect(await update(org.id, body)).toMatchObject({ status: 400, body: { error: 'No updates provided' } })
  const moved = await update(org.id, { name: 'B', partnerId: other.partnerId })
  expect(moved.body).toMatchObject({ name: 'B', partnerId: org.partnerId })
  expect(auditOf(app, 'organization.update')).toHaveLength(1)
})

test('the slug of a deleted or merged organization stays reserved', async () => {
  const { app, create, remove } = await companyScene()
  await using _ = app
  const { body: gone } = await create({ name: 'A', slug: 'Acme' })
  await remove(gone.id)
  expect((await create({ name: 'B', slug: 'acme' })).body.code).toBe('slug_reserved')
  const { body: merged } = await create({ name: 'C', slug: 'other' })
  setOrganization(app, merged.id, { status: 'merging', deleted_at: 'x' })
  expect((await create({ name: 'D', slug: 'OTHER' })).body.code).toBe('slug_reserved')
})

test('PUT behaves like PATCH', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a', maxDevices: 5 })
  const put = (body: object) => app.call(replaceOrganization, { params: { id: org.id }, body }, { token: admin.token })
  expect((await put({ name: 'B' })).body).toMatchObject({ name: 'B', slug: 'a', maxDevices: 5 })
  expect((await put({})).body.error).toBe('No updates provided')
})

test('an organization outside the selection of a member answers like a missing one in every call', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  const [{ body: own }, { body: hidden }] = [
    await create({ name: 'A', slug: 'a' }),
    await create({ name: 'B', slug: 'b' }),
  ]
  const { token } = await person(app, {
    email: 's@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [own.id],
  })
  const { read, update, remove, effective, list } = organizationsAs(app, token)
  for (const answer of [read(hidden.id), update(hidden.id, { name: 'X' }), remove(hidden.id), effective(hidden.id)])
    expect(await answer).toMatchObject({ status: 404, body: { error: 'Organization not found' } })
  expect((await list()).body).toMatchObject({ data: [{ id: own.id }], pagination: { total: 1 } })
  expect(auditOf(app, 'organization.update')).toEqual([])
})

test('the billing contact of a new organization becomes a contact', async () => {
  const { app, create, update } = await companyScene()
  await using _ = app
  const bo = { name: 'Bo', email: 'bo@x.test', phone: null }
  const { body: org } = await create({ name: 'A', slug: 'a', billingContact: bo })
  expect(org.billingContact).toEqual(bo)
  const contacts = () => app.db.all(q.selectFrom('contacts').selectAll().where('org_id', '=', org.id))
  expect(contacts()).toMatchObject([{ email: 'bo@x.test', roles: '["billing"]' }])
  expect((await update(org.id, { billingContact: { ...bo, phone: '1' } })).body.billingContact).toMatchObject({
    phone: '1',
  })
  expect(contacts()).toMatchObject([{ phone: '1' }])
})

test('a member with selected organizations also gets access to one they create', async () => {
  const { app, admin } = await companyScene()
  await using _ = app
  const hidden = await organizationOf(app, admin.token, 'Hidden')
  const { token } = await person(app, {
    email: 's@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [],
  })
  const own = await organizationOf(app, token, 'Own')
  const { body } = await app.call(listOrganizations, {}, { token })
  expect(body.data.map(({ name }) => name)).toEqual(['Own'])
  expect((await app.call(readOrganization, { params: { id: own.id } }, { token })).status).toBe(200)
  expect((await app.call(readOrganization, { params: { id: hidden.id } }, { token })).status).toBe(404)
})

test('a member without organizations cannot create one', async () => {
  const { app, admin } = await companyScene()
  await using _ = app
  const { token } = await person(app, {
    email: 'n@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'none',
  })
  const { status, body } = await app.call(createOrganization, { body: { name: 'x', slug: 'x' } }, { token })
  expect([status, body.error]).toEqual([403, 'Insufficient permissions'])
  expect(app.rowCounts().organizations).toBe(0)
})

test('an operator must name the company, and a company can name only itself', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  const other = await otherCompany(app)
  const { token } = await person(app, { email: 'sys@x.test', scope: 'system' })
  const asSystem = (body: Record<string, unknown>) => app.call(createOrganization, { body: body as never }, { token })
  expect((await asSystem({ name: 'x', slug: 'x' })).body.error).toBe('partnerId is required for system scope')
  const nowhere = await asSystem({ name: 'x', slug: 'x', partnerId: '00000000-0000-4000-8000-000000000000' })
  expect([nowhere.status, nowhere.body.error]).toEqual([404, 'Partner not found'])
  expect((await asSystem({ name: 'x', slug: 'x', partnerId: other.partnerId })).body.partnerId).toBe(other.partnerId)
  expect((await create({ name: 'x', slug: 'x', partnerId: admin.partnerId })).status).toBe(201)
  const { body } = await app.call(listOrganizations, { query: { partnerId: other.partnerId } }, { token })
  expect(body.data.map(({ name }) => name)).toEqual(['Umbrella One', 'x'])
  expect((await app.call(listOrganizations, {}, { token })).body.pagination.total).toBe(3)
})

test('an invalid id answers like a missing organization', async () => {
  const { app, read, update } = await companyScene()
  await using _ = app
  for (const id of ['x', '0', '%', '../etc', '00000000-0000-4000-8000-000000000000', "' OR 1=1 --"]) {
    expect((await read(id)).body.error, id).toBe('Organization not found')
    expect((await update(id, { name: 'B' })).status, id).toBe(404)
  }
})

test('a focused organization in the query does not filter the list or the tree', async () => {
  const { app, create, list, tree } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  await create({ name: 'B', slug: 'b' })
  expect((await list({ orgId: org.id })).body.pagination.total).toBe(2)
  expect((await tree()).body.data).toHaveLength(2)
})
