import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { renewContactOrder } from '../../server/features/contacts/contact-order.ts'
import { nameKey } from '../../shared/names.ts'
import { showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { contactScene } from './contact-kit.ts'

type Scene = Awaited<ReturnType<typeof contactScene>>
const namesIn = async ({ list }: Scene, query: Record<string, string> = {}, token?: string) =>
  (await list(query, token)).body.data.map(({ name }) => name)
const primaries = async ({ list }: Scene) =>
  (await list()).body.data.filter(({ isPrimary }) => isPrimary).map(({ name, siteId }) => [name, siteId])

test('a new contact is stored normalised, with an audit event', async () => {
  await using scene = await contactScene()
  const { status, body } = await scene.create({
    name: '  Ada Lovelace ',
    email: ' Ada@X.Test ',
    phone: '+49 30 1',
    mobile: '',
    title: ' Head of IT ',
    roles: ['technical', 'billing', 'technical'],
    notes: 'Line one\nline two',
    orgId: 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11',
  })
  expect(status).toBe(201)
  expect(body.data).toEqual({
    id: expect.any(String),
    orgId: scene.org.id,
    siteId: null,
    name: 'Ada Lovelace',
    email: 'ada@x.test',
    phone: '+49 30 1',
    mobile: null,
    title: 'Head of IT',
    roles: ['technical', 'billing'],
    isPrimary: false,
    notes: 'Line one\nline two',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  expect((await scene.list()).body.data).toEqual([body.data])
  expect(auditOf(scene.app, 'contact.create')).toMatchObject([
    { org_id: scene.org.id, resource_type: 'contact', resource_name: 'Ada Lovelace', details: {} },
  ])
  const author = scene.app.db.first(q.selectFrom('contacts').select('created_by'))
  expect(author).toEqual({ created_by: scene.admin.userId })
})

test.each<[what: string, body: Record<string, unknown>, code: string]>([
  ['a role that is none before a site that is none', { roles: ['boss'], siteId: 'SITE' }, 'invalid-role'],
  ['a site that is none before nothing to reach anybody by', { siteId: 'SITE' }, 'site-not-in-org'],
  ['nothing to reach anybody by', { title: 'Boss', name: ' ' }, 'no-identifier'],
  ['a shape that is wrong before anything else', { roles: ['boss'], isPrimary: null }, 'validation_failed'],
  ['an address that is none', { email: 'nobody' }, 'validation_failed'],
  ['a name too long', { name: 'x'.repeat(256) }, 'validation_failed'],
  ['an address too long', { email: `${'x'.repeat(320)}@x.test` }, 'validation_failed'],
  ['a phone too long', { phone: '1'.repeat(65) }, 'validation_failed'],
  ['a mobile too long', { mobile: '1'.repeat(65) }, 'validation_failed'],
  ['notes too long', { name: 'A', notes: 'x'.repeat(5001) }, 'validation_failed'],
])('a contact is refused: %s', async (_, body, code) => {
  await using scene = await contactScene()
  const siteId = 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11'
  const wanted = { ...body, ...(body.siteId === 'SITE' && { siteId }) }
  expect(await scene.create(wanted)).toMatchObject({ status: 400, body: { code, error: expect.any(String) } })
  const { body: kept } = await scene.create({ name: 'Kept' })
  const change = await scene.change(kept.data.id, { name: null, ...wanted })
  expect([change.status, change.body.code]).toEqual([400, code])
  expect((await scene.list()).body.data).toEqual([kept.data])
  expect(auditOf(scene.app, 'contact.update')).toEqual([])
})

test('a site of another organization is refused', async () => {
  await using scene = await contactScene()
  const sibling = await organizationOf(scene.app, scene.admin.token, 'Sibling')
  const foreign = await siteOf(scene.app, scene.admin.token, sibling.id)
  expect((await scene.create({ name: 'A', siteId: foreign.id })).body.code).toBe('site-not-in-org')
})

test('a change that would remove the last identifier of a contact answers no-identifier', async () => {
  await using scene = await contactScene()
  const { body } = await scene.create({ email: 'a@x.test' })
  expect((await scene.change(body.data.id, { email: null })).body.code).toBe('no-identifier')
  expect((await scene.change(body.data.id, { email: '' })).body.code).toBe('no-identifier')
  expect((await scene.change(body.data.id, { email: null, mobile: '1' })).body.data).toMatchObject({
    email: null,
    mobile: '1',
  })
})

test('a change keeps omitted fields, clears them by null or blank, and replaces the roles', async () => {
  await using scene = await contactScene()
  const { body: before } = await scene.create({ name: 'A', title: 'T', notes: 'N', roles: ['billing', 'site'] })
  const { id } = before.data
  const change = async (body: Record<string, unknown>) => (await scene.change(id, body)).body.data
  expect(await change({ title: null, notes: '' })).toEqual({ ...before.data, title: null, notes: null })
  expect((await change({ roles: ['portal'] })).roles).toEqual(['portal'])
  expect((await change({ roles: [] })).roles).toEqual([])
  expect((await change({ roles: ['admin'], siteId: scene.hq.id })).siteId).toBe(scene.hq.id)
  expect(await change({ roles: null, siteId: null })).toMatchObject({ roles: [], siteId: null })
  expect(auditOf(scene.app, 'contact.update').map(({ details }) => details)).toEqual([
    { changedFields: ['title', 'notes'] },
    { changedFields: ['roles'] },
    { changedFields: ['roles'] },
    { changedFields: ['siteId', 'roles'] },
    { changedFields: ['siteId', 'roles'] },
  ])
  for (const nothing of [{}, { orgId: scene.org.id }, { id }])
    expect((await scene.change(id, nothing)).body.error).toBe('No updates provided')
})

test('two contacts may share an address, and the event of a deletion says whether the contact was primary', async () => {
  await using scene = await contactScene()
  const { body: one } = await scene.create({ email: 'a@x.test', isPrimary: true })
  await scene.create({ email: 'a@x.test', name: 'Other' })
  expect((await scene.remove(one.data.id)).body).toEqual({ success: true })
  expect((await scene.remove(one.data.id)).body.error).toBe('Contact not found')
  expect(await primaries(scene)).toEqual([])
  expect(auditOf(scene.app, 'contact.delete')).toMatchObject([
    { resource_name: 'a@x.test', details: { isPrimary: true } },
  ])
})

test('each organization and site has one primary contact, the latest, and its removal promotes no other', async () => {
  await using scene = await contactScene()
  const { hq, depot } = scene
  const made = async (name: string, siteId: string | null) =>
    (await scene.create({ name, siteId, isPrimary: true })).body.data.id
  await made('Org', null)
  const atHq = await made('Hq', hq.id)
  await made('Depot', depot.id)
  expect(await primaries(scene)).toEqual([
    ['Depot', depot.id],
    ['Hq', hq.id],
    ['Org', null],
  ])
  scene.app.clock.advance(1000)
  await scene.change(atHq, { siteId: depot.id })
  expect(await primaries(scene)).toEqual([
    ['Hq', depot.id],
    ['Org', null],
  ])
  const demoted = (await scene.list()).body.data.find(({ name }) => name === 'Depot')
  expect(demoted?.updatedAt).not.toBe(demoted?.createdAt)
  await made('Org two', null)
  expect(await primaries(scene)).toEqual([
    ['Hq', depot.id],
    ['Org two', null],
  ])
  await scene.change(atHq, { isPrimary: false })
  expect(await primaries(scene)).toEqual([['Org two', null]])
  expect(auditOf(scene.app, 'contact.update')).toHaveLength(2)
})

test('of ten contacts made primary at once exactly one is', async () => {
  await using scene = await contactScene()
  const made = await Promise.all(Array.from({ length: 10 }, (_, n) => scene.create({ name: `${n}` })))
  const answers = await Promise.all(made.map(({ body }) => scene.change(body.data.id, { isPrimary: true })))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(await primaries(scene)).toHaveLength(1)
})

test('contacts are sorted by name with unnamed ones last, and filtered by site, no site and role', async () => {
  await using scene = await contactScene()
  const { hq } = scene
  await scene.create({ email: 'a@x.test', roles: ['portal'] })
  await scene.create({ name: 'zoe' })
  await scene.create({ name: 'Émile', siteId: hq.id, roles: ['portal', 'site'] })
  await scene.create({ name: 'Bob', roles: ['after_hours'] })
  await scene.create({ name: 'anna', siteId: hq.id })
  expect(await namesIn(scene)).toEqual(['anna', 'Bob', 'Émile', 'zoe', null])
  expect(await namesIn(scene, { siteId: hq.id })).toEqual(['anna', 'Émile'])
  expect(await namesIn(scene, { siteId: 'none' })).toEqual(['Bob', 'zoe', null])
  expect(await namesIn(scene, { role: 'portal' })).toEqual(['Émile', null])
  expect(await namesIn(scene, { role: 'site', siteId: 'none' })).toEqual([])
  expect((await scene.list({ role: 'boss' })).status).toBe(400)
  expect((await scene.list({ siteId: 'x' })).status).toBe(400)
})

test('pages of contacts with the same name and timestamp neither repeat nor skip', async () => {
  await using scene = await contactScene()
  for (let n = 0; n < 12; n++) await scene.create({ name: 'Same', phone: `${n}` })
  const pages = await Promise.all(['1', '2', '3'].map((page) => scene.list({ page, limit: '5' })))
  const ids = pages.flatMap(({ body }) => body.data.map(({ id }) => id))
  expect([ids.length, new Set(ids).size, pages[2]?.body.pagination]).toEqual([12, 12, { page: 3, limit: 5, total: 12 }])
})

test('a user confined to sites reads and writes contacts of the organization and of those sites only', async () => {
  await using scene = await contactScene()
  const { hq, depot, confined, create, change, remove, list } = scene
  await create({ name: 'Org' })
  const { body: own } = await create({ name: 'Own', siteId: hq.id })
  const { body: barred } = await create({ name: 'Barred', siteId: depot.id })
  const token = await confined([hq.id])
  expect(await namesIn(scene, {}, token)).toEqual(['Org', 'Own'])
  expect((await list({}, token)).body.pagination.total).toBe(2)
  expect(await namesIn(scene, { siteId: 'none' }, token)).toEqual(['Org'])
  expect(await namesIn(scene, {}, await confined([]))).toEqual(['Org'])
  expect(await list({ siteId: depot.id }, token)).toMatchObject({
    status: 403,
    body: { error: 'Access to this site denied' },
  })
  for (const refused of [
    await change(barred.data.id, { name: 'Mine' }, token),
    await remove(barred.data.id, token),
    await change('x', { name: 'Mine' }, token),
  ])
    expect([refused.status, refused.body.error]).toEqual([404, 'Contact not found'])
  for (const refused of [
    await create({ name: 'New', siteId: depot.id }, token),
    await change(own.data.id, { siteId: depot.id }, token),
    await create({ name: 'New', siteId: randomUUID() }, token),
  ])
    expect([refused.status, refused.body.code]).toEqual([400, 'site-not-in-org'])
  const wrong = (siteId: string) => create({ siteId, roles: ['clown'] }, token)
  for (const siteId of [depot.id, randomUUID()]) expect((await wrong(siteId)).body.code).toBe('invalid-role')
  expect((await change(own.data.id, { siteId: null }, token)).status).toBe(200)
  expect((await create({ name: 'New' }, token)).status).toBe(201)
  expect(await namesIn(scene)).toEqual(['Barred', 'New', 'Org', 'Own'])
})

test('contacts of an organization out of reach are reported as not found', async () => {
  await using scene = await contactScene()
  const { app, admin, create, change, list, remove } = scene
  const { body } = await create({ name: 'A' })
  const partner = { scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
  const selected = await person(app, { email: 's@x.test', ...partner, orgIds: [] })
  const { admin: stranger } = await otherCompany(app)
  for (const { id, token } of [selected, stranger]) {
    showFactor(app, id)
    expect((await list({}, token)).body.error).toBe('Organization not found')
    expect((await create({ name: 'B' }, token)).body.error).toBe('Organization not found')
    expect((await change(body.data.id, { name: 'B' }, token)).body.error).toBe('Contact not found')
    expect((await remove(body.data.id, token)).body.error).toBe('Contact not found')
  }
  const nowhere = 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11'
  for (const id of [nowhere, 'x']) {
    expect((await list({}, admin.token, id)).body.error).toBe('Organization not found')
    expect((await create({ name: 'B' }, admin.token, id)).body.error).toBe('Organization not found')
  }
})

test.each(['archived', 'merging', 'purging'] as const)(
  'contacts of an organization that is %s cannot be written, not even by an operator',
  async (status) => {
    await using scene = await contactScene()
    const { app, admin, org, create, change, remove } = scene
    const { body } = await create({ name: 'A' })
    setOrganization(app, org.id, { status })
    const operator = await person(app, { email: 'sys@x.test', scope: 'system' })
    showFactor(app, operator.id)
    for (const token of [admin.token, operator.token])
      for (const refused of [
        await create({ name: 'B' }, token),
        await change(body.data.id, { name: 'B' }, token),
        await remove(body.data.id, token),
      ])
        expect(refused).toMatchObject({
          status: 409,
          body: { code: 'ORG_LIFECYCLE_FROZEN', currentStatus: status, error: expect.any(String) },
        })
    expect(app.rowCounts().contacts).toBe(1)
  },
)

test('contacts are sorted by name regardless of accents, also ones stored before the sort key existed', async () => {
  await using scene = await contactScene()
  const { app, create, preview } = scene
  for (const name of ['Tim', 'Özlem', 'Änne', 'Anton', 'anne', '東京']) await create({ name })
  await create({ email: 'nameless@x.test' })
  const inOrder = ['anne', 'Änne', 'Anton', 'Özlem', 'Tim', '東京', null]
  expect(await namesIn(scene)).toEqual(inOrder)

  for (const name of ['Özlem', 'Änne'])
    app.db.run(
      q
        .updateTable('contacts')
        .set({ name_key: nameKey(name) })
        .where('name', '=', name),
    )
  expect(await namesIn(scene)).not.toEqual(inOrder)
  const changes = app.db.statement('SELECT total_changes()').pluck()
  const before = Number(changes.get())
  renewContactOrder(app.db)
  renewContactOrder(app.db)
  expect([await namesIn(scene), Number(changes.get()) - before]).toEqual([inOrder, 2])
  const { body } = await preview(['ÄNNE', 'Anne', 'Ozlem'].map((name) => ({ name, organization: 'Berlin' })))
  expect(body.rows.map(({ annotation, matchedContactName }) => [annotation, matchedContactName])).toEqual([
    ['name-match', 'Änne'],
    ['name-match', 'anne'],
    ['create', undefined],
  ])
})

test('reading contacts needs no second factor, writing does', async () => {
  await using scene = await contactScene()
  const { app, admin, create, change, list, remove } = scene
  const { body } = await create({ name: 'A' })
  const { token } = await person(app, { email: 'p@x.test', scope: 'partner', partnerId: admin.partnerId })
  expect((await list({}, token)).status).toBe(200)
  for (const refused of [
    await create({ name: 'B' }, token),
    await change(body.data.id, {}, token),
    await remove(body.data.id, token),
    await scene.preview([], token),
    await scene.commit([], {}, token),
  ])
    expect([refused.status, refused.body.code]).toEqual([403, 'MFA_REQUIRED'])
})
