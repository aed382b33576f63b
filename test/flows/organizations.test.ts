import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import {
  createOrganization,
  listOrganizations,
  listOrganizationTree,
  readOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import { bootstrapped, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'

type Status = 'active' | 'suspended' | 'trial' | 'churned' | 'offboarding' | 'merging' | 'archived' | 'purging'

async function scene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  const { token } = admin
  return {
    app,
    admin,
    create: (body: Record<string, unknown>) => app.call(createOrganization, { body: body as never }, { token }),
    update: (id: string, body: Record<string, unknown>) =>
      app.call(updateOrganization, { params: { id }, body: body as never }, { token }),
    list: (query: Record<string, string> = {}) => app.call(listOrganizations, { query }, { token }),
    tree: () => app.call(listOrganizationTree, {}, { token }),
    read: (id: string) => app.call(readOrganization, { params: { id } }, { token }),
  }
}
const setStatus = (app: TestApp, id: string, status: Status) =>
  app.db.run(q.updateTable('organizations').set({ status }).where('id', '=', id))
const detailsOf = (app: TestApp, action: string) => JSON.parse(auditOf(app, action).at(-1)?.details ?? 'null') as object

test('an organization is created with what was given, and its event says so', async () => {
  const { app, admin, create, read } = await scene()
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
  expect(detailsOf(app, 'organization.create')).toEqual({
    partnerId: admin.partnerId,
    status: 'trial',
    type: 'customer',
  })
})

test('a slug is unique in its company whatever its case, and stays reserved after deletion', async () => {
  const { app, create, update } = await scene()
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
])('an organization with %s is refused and leaves nothing', async (_, body) => {
  const { app, create } = await scene()
  await using __ = app
  expect((await create(body)).status).toBe(400)
  expect([app.rowCounts().organizations, auditOf(app, 'organization.create').length]).toEqual([0, 0])
})

test('a company at its cap gets no more organizations; archived ones count, deleted ones do not', async () => {
  const { app, admin, create } = await scene()
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

test('the tree is by name whatever its case; the list is in the preferred order, then by age', async () => {
  const { app, create, list, tree } = await scene()
  await using _ = app
  for (const name of ['beta', 'Alpha', 'ALPHA', 'gamma', 'Émile']) {
    await create({ name, slug: `s-${name.length}-${app.rowCounts().organizations}` })
    app.clock.advance(1000)
  }
  expect((await tree()).body.data.map(({ name }) => name)).toEqual(['Alpha', 'ALPHA', 'beta', 'gamma', 'Émile'])
  expect((await tree()).body).not.toHaveProperty('pagination')
  expect((await list()).body.data.map(({ name }) => name)).toEqual(['beta', 'Alpha', 'ALPHA', 'gamma', 'Émile'])
  app.db.run(q.updateTable('organizations').set({ display_order: 0 }).where('name', '=', 'gamma'))
  expect((await list({ limit: '2' })).body.data.map(({ name }) => name)).toEqual(['gamma', 'beta'])
})

test('pages neither repeat nor skip a row when all were made in the same instant', async () => {
  const { app, create, list } = await scene()
  await using _ = app
  for (let n = 0; n < 23; n++) await create({ name: `org ${n}`, slug: `org-${n}` })
  const seen: string[] = []
  for (let page = 1; page <= 6; page++) {
    const { body } = await list({ page: String(page), limit: '5' })
    expect(body.pagination).toEqual({ page, limit: 5, total: 23 })
    seen.push(...body.data.map(({ id }) => id))
  }
  expect([seen.length, new Set(seen).size]).toEqual([23, 23])
})

test.each<[query: Record<string, string>, page: number, limit: number]>([
  [{}, 1, 50],
  [{ page: '0', limit: '0' }, 1, 1],
  [{ page: '-3', limit: '-1' }, 1, 1],
  [{ page: 'x', limit: 'x' }, 1, 50],
  [{ page: '1.5', limit: '1e3' }, 1, 50],
  [{ page: '2', limit: '1000' }, 2, 100],
  [{ page: '999999999', limit: '100' }, 999_999_999, 100],
  [{ page: '99999999999999999999', limit: '' }, 1, 50],
])('a list asked for with %j is page %i of %i rows', async (query, page, limit) => {
  const { app, create, list } = await scene()
  await using _ = app
  await create({ name: 'x', slug: 'x' })
  const { status, body } = await list(query)
  expect([status, body.pagination]).toEqual([200, { page, limit, total: 1 }])
})

test('a search finds substrings in any case, and takes % and _ and \\ as they are', async () => {
  const { app, create, list } = await scene()
  await using _ = app
  for (const [n, name] of ['100% Solar', '100 Solar', 'snake_case', 'snakeXcase', 'back\\slash', "O'Hara"].entries())
    await create({ name, slug: `s${n}` })
  const found = async (search: string) => (await list({ search })).body.data.map(({ name }) => name)
  expect(await found('SOLAR')).toEqual(['100% Solar', '100 Solar'])
  expect(await found('0%')).toEqual(['100% Solar'])
  expect(await found('%')).toEqual(['100% Solar'])
  expect(await found('e_c')).toEqual(['snake_case'])
  expect(await found('k\\s')).toEqual(['back\\slash'])
  expect(await found("O'H")).toEqual(["O'Hara"])
  expect(await found('nothing')).toEqual([])
  expect((await list({ search: 'solar', limit: '1' })).body.pagination.total).toBe(2)
})

test('a change is partial, dated and recorded with the fields it touched', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const { body: before } = await create({ name: 'A', slug: 'a', maxDevices: 5, billingContact: { a: 1 } })
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
  expect(detailsOf(app, 'organization.update')).toEqual({ changedFields: ['name', 'maxDevices', 'billingContact'] })
  await update(before.id, { status: 'suspended' })
  expect(detailsOf(app, 'organization.update')).toEqual({
    changedFields: ['status'],
    fromStatus: 'active',
    toStatus: 'suspended',
  })
  expect(auditOf(app, 'organization.update')).toHaveLength(2)
})

test('settings are replaced as a whole', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const { body } = await create({ name: 'A', slug: 'a', settings: { a: 1, b: 2 } })
  expect((await update(body.id, { settings: { b: 3 } })).body.settings).toEqual({ b: 3 })
})

test('a change of nothing, or of the company alone, is refused; the company is never changed', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const other = await otherCompany(app)
  const { body: org } = await create({ name: 'A', slug: 'a' })
  for (const body of [{}, { partnerId: other.partnerId }, { unknown: 1 }, { id: 'x', deletedAt: null }])
    expect(await update(org.id, body)).toMatchObject({ status: 400, body: { error: 'No updates provided' } })
  const moved = await update(org.id, { name: 'B', partnerId: other.partnerId })
  expect(moved.body).toMatchObject({ name: 'B', partnerId: org.partnerId })
  expect(auditOf(app, 'organization.update')).toHaveLength(1)
})

test('a suspended organization is seen and taken back; an archived or purged one is not there', async () => {
  const { app, create, update, read, list, tree } = await scene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  for (const status of ['suspended', 'churned', 'offboarding', 'merging'] as const) {
    setStatus(app, org.id, status)
    expect((await read(org.id)).body.status).toBe(status)
    expect((await list()).body.pagination.total).toBe(1)
  }
  setStatus(app, org.id, 'suspended')
  expect((await update(org.id, { status: 'active' })).body.status).toBe('active')
  for (const status of ['archived', 'purging'] as const) {
    setStatus(app, org.id, status)
    expect([(await list()).body.data, (await tree()).body.data]).toEqual([[], []])
    expect((await update(org.id, { name: 'B' })).status).toBe(404)
  }
  expect(auditOf(app, 'organization.update')).toHaveLength(1)
})

test.each(['merging', 'archived', 'purging'] as const)(
  'nobody writes to or below an organization that is %s',
  async (status) => {
    const { app, create } = await scene()
    await using _ = app
    const { body: org } = await create({ name: 'A', slug: 'a' })
    setStatus(app, org.id, status)
    const { token } = await person(app, { email: 'sys@x.test', scope: 'system' })
    const answers = [
      await app.call(updateOrganization, { params: { id: org.id }, body: { name: 'B' } }, { token }),
      await app.call(createSite, { body: { orgId: org.id, name: 'S' } }, { token }),
    ]
    if (status === 'merging')
      for (const { status: code, body } of answers)
        expect([code, body.code, body.currentStatus]).toEqual([409, 'ORG_LIFECYCLE_FROZEN', 'merging'])
    else for (const { status: code } of answers) expect([403, 404, 409]).toContain(code)
    expect(app.rowCounts().sites).toBe(0)
  },
)

test('an organization in its drain does not change its status here', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  setStatus(app, org.id, 'offboarding')
  expect((await update(org.id, { status: 'active' })).body).toMatchObject({
    code: 'ORG_LIFECYCLE_FROZEN',
    currentStatus: 'offboarding',
  })
  expect((await update(org.id, { name: 'B' })).status).toBe(200)
})

test('whoever sees selected organizations sees the one they made, and no other', async () => {
  const { app, admin } = await scene()
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

test('whoever looks after settings only makes no organization', async () => {
  const { app, admin } = await scene()
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

test('a system operator names the company; a company names its own or none', async () => {
  const { app, admin, create } = await scene()
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

test('an id that is none is an organization that is not there', async () => {
  const { app, read, update } = await scene()
  await using _ = app
  for (const id of ['x', '0', '%', '../etc', '00000000-0000-4000-8000-000000000000', "' OR 1=1 --"]) {
    expect((await read(id)).body.error, id).toBe('Organization not found')
    expect((await update(id, { name: 'B' })).status, id).toBe(404)
  }
})

test('a focused organization in the query neither fails nor hides anything', async () => {
  const { app, create, list, tree } = await scene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  await create({ name: 'B', slug: 'b' })
  expect((await list({ orgId: org.id })).body.pagination.total).toBe(2)
  expect((await tree()).body.data).toHaveLength(2)
})
