import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { omnipotent } from '../contract/stage.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { companyScene, createEach, lastDetails, namesIn, organizationsAs, setStatus } from './organization-kit.ts'

test('the tree is sorted by name regardless of case and accents, the list by the preferred order and then by age', async () => {
  const { app, create, list, tree } = await companyScene()
  await using _ = app
  for (const name of ['beta', 'Alpha', 'ALPHA', 'gamma', 'Émile']) {
    await create({ name, slug: `s-${name.length}-${app.rowCounts().organizations}` })
    app.clock.advance(1000)
  }
  expect((await tree()).body.data.map(({ name }) => name)).toEqual(['Alpha', 'ALPHA', 'beta', 'Émile', 'gamma'])
  expect((await tree()).body).not.toHaveProperty('pagination')
  expect((await list()).body.data.map(({ name }) => name)).toEqual(['beta', 'Alpha', 'ALPHA', 'gamma', 'Émile'])
  app.db.run(q.updateTable('organizations').set({ display_order: 0 }).where('name', '=', 'gamma'))
  expect((await list({ limit: '2' })).body.data.map(({ name }) => name)).toEqual(['gamma', 'beta'])
})

test('pages of organizations with the same timestamp neither repeat nor skip', async () => {
  const { app, create, list } = await companyScene()
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
])('a list requested with %j is page %i of %i rows', async (query, page, limit) => {
  const { app, create, list } = await companyScene()
  await using _ = app
  await create({ name: 'x', slug: 'x' })
  const { status, body } = await list(query)
  expect([status, body.pagination]).toEqual([200, { page, limit, total: 1 }])
})

test('a search matches substrings in any case and takes %, _ and \\ literally', async () => {
  const { app, create, list } = await companyScene()
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

test('a search of any length ignores case for every letter', async () => {
  const { app, create, list } = await companyScene()
  await using _ = app
  for (const [n, name] of ['Ölmühle', 'ÖLMÜHLE Süd', 'Straße', 'Zoo'].entries()) await create({ name, slug: `s${n}` })
  for (const search of ['ölmühle', 'ÖLM', 'öl', 'Ö', 'mü'])
    expect(namesIn(await list({ search })), search).toEqual(['Ölmühle', 'ÖLMÜHLE Süd'])
  expect(namesIn(await list({ search: 'oo' }))).toEqual(['Zoo'])
  expect(namesIn(await list({ search: '' }))).toHaveLength(4)
})

/** Straight to the table, because creating thousands by the API takes long. */
function addMany(app: TestApp, partnerId: string, count: number, name: (n: number) => string): void {
  const insert = app.db.statement(
    'INSERT INTO organizations (id, partner_id, name, slug, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  app.db.transaction(() => {
    for (let n = 0; n < count; n++) {
      const at = new Date(app.clock.now() + n).toISOString()
      insert.run(crypto.randomUUID(), partnerId, name(n), `many-${n}`, at, at)
    }
  })
}

test('a search returns the same matches whichever index it uses', async () => {
  const { app, admin, list } = await companyScene()
  await using _ = app
  addMany(app, admin.partnerId, 3000, (n) => `${n % 2 ? 'Office' : 'Büro'} ${n}`)
  for (const [search, total, first] of [
    ['office', 1500, 'Office 1'],
    ['BÜRO', 1500, 'Büro 0'],
    ['fice 299', 6, 'Office 299'],
    ['99', 57, 'Office 99'],
    ['ü', 1500, 'Büro 0'],
    ['zz', 0, undefined],
  ] as const) {
    const { body } = await list({ search })
    expect([body.pagination.total, body.data[0]?.name], search).toEqual([total, first])
  }
  expect((await list({ page: '31', limit: '50', search: 'office' })).body.data).toEqual([])
  expect((await list({ page: '60' })).body.data).toHaveLength(50)
})

test('totals omit archived, deleted and foreign organizations', async () => {
  const { app, admin, create, list } = await companyScene()
  await using _ = app
  const counts = async () =>
    Promise.all(
      [{ search: '' }, { search: 'org' }, { search: 'o' }].map(
        async (query) => (await list(query)).body.pagination.total,
      ),
    )
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push((await create({ name: `Org ${n}`, slug: `o${n}` })).body.id)
  expect(await counts()).toEqual([5, 5, 5])
  setStatus(app, ids[0] as string, 'archived')
  setOrganization(app, ids[1] as string, { status: 'churned', deleted_at: 'x' })
  expect(await counts()).toEqual([3, 3, 3])
  const other = await otherCompany(app)
  await organizationsAs(app, other.admin.token).create({ name: 'Org of others', slug: 'org' })
  expect(await counts()).toEqual([3, 3, 3])
  const operator = await person(app, { email: 'sys@x.test', scope: 'system' })
  const asOperator = organizationsAs(app, operator.token)
  expect((await asOperator.list()).body.pagination.total).toBe(5)
  expect((await asOperator.list({ partnerId: admin.partnerId, search: 'org' })).body.pagination.total).toBe(3)
  // The partnerId in a query of a company is ignored.
  expect((await list({ partnerId: other.partnerId })).body.pagination.total).toBe(3)
})

test('archived organizations follow the last page and are not counted', async () => {
  const { app, admin, list } = await companyScene()
  await using _ = app
  const archive = (id: string, day: number) =>
    setOrganization(app, id, { status: 'archived', archived_at: `2026-01-0${day}T00:00:00.000Z` })
  const ids = await createEach(app, admin.token, ['org a', 'org b', 'org c', 'org d', 'org e', 'org f'])
  for (const [n, day] of [1, 3, 2].entries()) archive(ids[n] as string, day)
  setStatus(app, ids[3] as string, 'purging')
  const page = async (page: number, limit: number, query: Record<string, string> = { includeArchived: 'true' }) =>
    (await list({ page: `${page}`, limit: `${limit}`, ...query })).body
  expect(namesIn({ body: await page(1, 1) })).toEqual(['org e'])
  expect(await page(1, 1)).not.toHaveProperty('archivedTruncated')
  const last = await page(2, 1)
  expect(namesIn({ body: last })).toEqual(['org f', 'org b'])
  expect(last).toMatchObject({ archivedTruncated: true, pagination: { page: 2, limit: 1, total: 2 } })
  expect(last.data[1]).toMatchObject({ archived: true, deviceCount: 0 })
  const whole = await page(1, 50)
  expect(namesIn({ body: whole })).toEqual(['org e', 'org f', 'org b', 'org c', 'org a'])
  expect(whole.archivedTruncated).toBe(false)
  expect(namesIn({ body: await page(1, 50, { includeArchived: 'true', search: 'g a' }) })).toEqual(['org a'])
  expect(namesIn({ body: await page(1, 50, { includeArchived: 'false' }) })).toEqual(['org e', 'org f'])
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const some = await person(app, { email: 's@x.test', ...partner, orgAccess: 'selected', orgIds: [ids[2] as string] })
  expect(namesIn(await organizationsAs(app, some.token).list({ includeArchived: 'true' }))).toEqual(['org c'])
  const nobody = await person(app, { email: 'n@x.test', ...partner, orgAccess: 'none' })
  expect(namesIn(await organizationsAs(app, nobody.token).list({ includeArchived: 'true' }))).toEqual([])
  const other = await otherCompany(app)
  expect(namesIn(await organizationsAs(app, other.admin.token).list({ includeArchived: 'true' }))).toEqual([
    'Umbrella One',
  ])
})

test('the tree answers with and without a trailing slash', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  await create({ name: 'A', slug: 'a' })
  const get = (path: string) =>
    app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${admin.token}` } })
  const [bare, slashed] = [await get('/orgs'), await get('/orgs/')]
  expect([bare.statusCode, slashed.statusCode, slashed.json()]).toEqual([200, 200, bare.json()])
  expect(bare.json().data).toHaveLength(1)
})

test('an operator sees active organizations of every company, and archived ones on request', async () => {
  const { app, admin } = await companyScene()
  await using _ = app
  const ids = await createEach(app, admin.token, ['one', 'two'])
  await otherCompany(app)
  setOrganization(app, ids[0] as string, { status: 'archived', archived_at: '2026-01-01T00:00:00.000Z' })
  const { token } = await person(app, { email: 'sys@x.test', scope: 'system' })
  const { list, tree } = organizationsAs(app, token)
  expect(namesIn(await list())).toEqual(['two', 'Umbrella One'])
  expect(namesIn(await tree())).toEqual(['two', 'Umbrella One'])
  expect(namesIn(await list({ includeArchived: 'true' }))).toEqual(['two', 'Umbrella One', 'one'])
  expect(namesIn(await list({ includeArchived: 'true', search: 'one' }))).toEqual(['Umbrella One', 'one'])
  expect((await list({ includeArchived: 'yes' })).status).toBe(400)
})

test('a member of an organization sees only it in the tree, and is refused the list', async () => {
  const { app, create } = await companyScene()
  await using _ = app
  const { body: own } = await create({ name: 'Own', slug: 'own' })
  await create({ name: 'Other', slug: 'other' })
  const { token } = await omnipotent(app, { email: 'o@x.test', scope: 'organization', orgId: own.id })
  const { tree, list } = organizationsAs(app, token)
  expect(namesIn(await tree())).toEqual(['Own'])
  expect((await list()).body).toMatchObject({ error: 'Insufficient permissions' })
  expect((await tree()).body.data[0]).not.toHaveProperty('deviceCount')
})

test('page one begins with the organization ordered first, however late it was created', async () => {
  const { app, admin, list, order } = await companyScene()
  await using _ = app
  addMany(app, admin.partnerId, 120, (n) => `org ${n}`)
  const { body } = await list({ page: '2', limit: '100' })
  const last = body.data[19]?.id as string
  expect((await order([last])).body.organizationOrder).toHaveLength(120)
  expect(namesIn(await list({ limit: '50' })).slice(0, 2)).toEqual(['org 119', 'org 0'])
})

test('an order is completed with missing organizations, without duplicates and foreign ones', async () => {
  const { app, admin, create, remove, list, order } = await companyScene()
  await using _ = app
  const [a, b, c, gone] = await createEach(app, admin.token, ['a', 'b', 'c', 'gone'])
  await remove(gone as string)
  const other = await otherCompany(app)
  const { status, body } = await order([c, c?.toUpperCase(), gone, other.org.id, crypto.randomUUID()])
  expect([status, body]).toEqual([200, { organizationOrder: [c, a, b] }])
  expect(lastDetails(app, 'partner.organizationOrder.update')).toEqual({ count: 3 })
  expect(auditOf(app, 'partner.organizationOrder.update')).toMatchObject([
    { org_id: null, partner_id: admin.partnerId, resource_type: 'partner', resource_id: admin.partnerId },
  ])
  app.clock.advance(1000)
  const { body: late } = await create({ name: 'late', slug: 'late' })
  expect((await list()).body.data.map(({ id }) => id)).toEqual([c, a, b, late.id])
  for (const bad of [['x'], 'x', null, Array(10_001).fill(a)]) expect((await order(bad)).status).toBe(400)
})

test('ordering needs access to the whole company, and an operator must name the company', async () => {
  const { app, admin, create, order } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const some = await person(app, { email: 's@x.test', ...partner, orgAccess: 'selected', orgIds: [org.id] })
  expect((await organizationsAs(app, some.token).order([org.id])).body).toMatchObject({
    error: 'Full partner access required',
  })
  const { token } = await person(app, { email: 'sys@x.test', scope: 'system' })
  const asOperator = organizationsAs(app, token)
  expect((await asOperator.order([])).body).toMatchObject({ error: 'Partner context required' })
  expect((await asOperator.order([], { partnerId: crypto.randomUUID() })).body.error).toBe('Partner not found')
  expect((await asOperator.order([], { partnerId: admin.partnerId })).body).toEqual({ organizationOrder: [org.id] })
  expect((await order([org.id], { partnerId: crypto.randomUUID() })).body).toEqual({ organizationOrder: [org.id] })
})
