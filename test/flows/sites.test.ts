import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { listContacts } from '../../shared/api/contacts.ts'
import { createSite, deleteSite, listSites, readSite, updateSite } from '../../shared/api/sites.ts'
import { enroll } from '../../shared/device/enroll.ts'
import {
  bootstrapped,
  company,
  enrollBody,
  enrolledDevice,
  enrollmentKeyOf,
  organizationOf,
  otherCompany,
  person,
  siteOf,
} from '../helpers/factories.ts'
import { setDevice, setOrganization } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'

async function scene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  const { token } = admin
  const org = await organizationOf(app, token)
  return {
    app,
    admin,
    org,
    create: (body: Record<string, unknown>, as = token) =>
      app.call(createSite, { body: { orgId: org.id, name: 'HQ', ...body } as never }, { token: as }),
    update: (id: string, body: Record<string, unknown>, as = token) =>
      app.call(updateSite, { params: { id }, body: body as never }, { token: as }),
    list: (query: Record<string, string> = {}, as = token) => app.call(listSites, { query }, { token: as }),
    remove: (id: string, as = token) => app.call(deleteSite, { params: { id } }, { token: as }),
    contacts: async (query: Record<string, string> = {}) =>
      (await app.call(listContacts, { params: { id: org.id }, query }, { token })).body.data,
    read: (id: string, as = token) => app.call(readSite, { params: { id } }, { token: as }),
  }
}

test('a site is created as requested, in UTC by default', async () => {
  const { app, org, create, read } = await scene()
  await using _ = app
  const { status, body } = await create({
    address: 'Main St 1',
    contact: { email: '', phone: '1', extra: 2 },
    settings: [1],
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    orgId: org.id,
    name: 'HQ',
    timezone: 'UTC',
    address: 'Main St 1',
    contact: { email: '', phone: '1', extra: 2 },
    settings: [1],
  })
  expect((await read(body.id)).body).toEqual(body)
  expect((await create({ timezone: 'Europe/Berlin' })).body.timezone).toBe('Europe/Berlin')
  expect(auditOf(app, 'site.create').map(({ org_id }) => org_id)).toEqual([org.id, org.id])
})

test.each([
  ['timezone', 'Mars/Olympus', 'Invalid IANA timezone'],
  ['timezone', '+02:00', 'Invalid IANA timezone'],
  ['timezone', '', 'Invalid IANA timezone'],
  ['name', '', ''],
  ['name', 'x'.repeat(256), ''],
  ['orgId', 'x', ''],
  ['contact', { email: 'nobody' }, ''],
  ['contact', 'somebody', ''],
])('a site with %s %j is refused', async (field, value, text) => {
  const { app, create } = await scene()
  await using _ = app
  const { status, body } = await create({ [field]: value })
  expect([status, body.error?.includes(text)]).toEqual([400, true])
  expect(app.rowCounts().sites).toBe(0)
})

test('an address can be any JSON and is returned unchanged', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const { body: site } = await create({})
  for (const address of [null, 0, false, '', 'x', [], {}, { a: [null] }, 1.5])
    expect((await update(site.id, { address })).body.address).toEqual(address)
})

test('a change is partial, replaces the contact as a whole, and is recorded with its fields', async () => {
  const { app, create, update } = await scene()
  await using _ = app
  const { body: before } = await create({ contact: { name: 'A', phone: '1' }, address: 'x' })
  const { body } = await update(before.id, { contact: { name: 'B' }, timezone: 'Asia/Tokyo' })
  expect(body).toEqual({ ...before, contact: { name: 'B' }, timezone: 'Asia/Tokyo' })
  expect(auditOf(app, 'site.update').map(({ details }) => JSON.parse(details) as unknown)).toEqual([
    {
      changedFields: ['timezone', 'contact'],
      before: { timezone: before.timezone },
      after: { timezone: 'Asia/Tokyo' },
    },
  ])
})

test('a change without fields answers 400, and the organization of a site never changes', async () => {
  const { app, admin, org, create, update } = await scene()
  await using _ = app
  const other = await organizationOf(app, admin.token, 'Other')
  const { body: site } = await create({})
  for (const body of [{}, { orgId: other.id }, { id: 'x' }])
    expect(await update(site.id, body)).toMatchObject({ status: 400, body: { error: 'No updates provided' } })
  expect((await update(site.id, { orgId: other.id, name: 'B' })).body).toMatchObject({ orgId: org.id, name: 'B' })
  expect(auditOf(app, 'site.update')).toHaveLength(1)
})

test('a missing site answers 403 like one out of reach, and only an operator is told that it does not exist', async () => {
  const { app, read, update, remove } = await scene()
  await using _ = app
  const other = await otherCompany(app)
  for (const id of ['x', randomUUID(), other.site.id])
    for (const { status, body } of [await read(id), await update(id, { name: 'B' }), await remove(id)])
      expect([status, body]).toEqual([
        403,
        {
          error: 'Access to this site denied',
          message: 'Access to this site denied',
          code: 'site_access_denied',
        },
      ])
  const operator = await person(app, { email: 'sys@x.test', scope: 'system' })
  expect((await read(randomUUID(), operator.token)).body.error).toBe('Site not found')
  expect((await read(other.site.id, operator.token)).status).toBe(200)
})

test('a site with devices cannot be deleted, and one without is deleted with its contacts', async () => {
  await using app = await testApp()
  const { admin, org, site, key, device } = await company(app)
  const { token } = admin
  const remove = () => app.call(deleteSite, { params: { id: site.id } }, { token })
  await app.call(updateSite, { params: { id: site.id }, body: { contact: { name: 'Kim' } } }, { token })
  const group = { id: 'g', org_id: org.id, site_id: site.id, name: 'G', created_at: 'x', updated_at: 'x' }
  app.db.run(q.insertInto('device_groups').values(group))
  setDevice(app, device.deviceId, { status: 'decommissioned' })
  const before = app.rowCounts()
  expect(await remove()).toMatchObject({
    status: 409,
    body: { error: 'Site still has devices', code: 'SITE_NOT_EMPTY', deviceCount: 1 },
  })
  expect(app.rowCounts()).toEqual(before)
  const elsewhere = await siteOf(app, token, org.id, 'Elsewhere')
  setDevice(app, device.deviceId, { site_id: elsewhere.id })
  expect((await remove()).body).toEqual({ success: true })
  expect((await remove()).body.error).toBe('Access to this site denied')
  expect(app.rowCounts()).toMatchObject({ sites: 1, contacts: 0, device_groups: 1, enrollment_keys: 1 })
  expect(app.db.first(q.selectFrom('device_groups').select('site_id'))).toEqual({ site_id: null })
  expect(app.db.first(q.selectFrom('enrollment_keys').select('site_id').where('id', '=', key.id))).toEqual({
    site_id: null,
  })
  expect(auditOf(app, 'site.delete')).toMatchObject([
    { org_id: org.id, resource_id: site.id, details: '{"expiredEnrollmentKeys":1}' },
  ])
})

test('the enrollment keys of a deleted site stop working, those of others do not', async () => {
  await using app = await testApp()
  const { admin, org, site } = await company(app)
  const { token } = admin
  const branch = await siteOf(app, token, org.id, 'Branch')
  const ofOrg = { orgId: org.id }
  const [gone, staying, anywhere] = [
    await enrollmentKeyOf(app, token, { ...ofOrg, siteId: branch.id }),
    await enrollmentKeyOf(app, token, { ...ofOrg, siteId: site.id }),
    await enrollmentKeyOf(app, token, ofOrg),
  ]
  const unlimited = await enrollmentKeyOf(app, token, { ...ofOrg, siteId: branch.id })
  app.db.run(q.updateTable('enrollment_keys').set({ expires_at: null }).where('id', '=', unlimited.id))
  const expired = await enrollmentKeyOf(app, token, { ...ofOrg, siteId: branch.id, ttlMinutes: 1 })
  app.clock.advance(120_000)
  const enrolls = (key: string) => app.call(enroll, { body: enrollBody(key, `pc-${key.slice(0, 8)}`) })
  expect((await enrolls(gone.key)).status).toBe(201)
  const [device] = app.db.all(q.selectFrom('devices').select('id').where('site_id', '=', branch.id))
  app.db.run(q.deleteFrom('devices').where('id', '=', device?.id as string))
  const before = app.rowCounts()
  expect((await app.call(deleteSite, { params: { id: branch.id } }, { token })).status).toBe(200)
  for (const { key } of [gone, unlimited, expired])
    expect((await enrolls(key)).body).toMatchObject({ reason: 'enrollment_key_expired' })
  expect(app.rowCounts().devices).toBe(before.devices)
  for (const { key } of [staying, anywhere]) expect((await enrolls(key)).status).toBe(201)
  expect(auditOf(app, 'site.delete').map(({ details }) => JSON.parse(details))).toEqual([{ expiredEnrollmentKeys: 2 }])
  const { expires_at } = app.db.first(
    q.selectFrom('enrollment_keys').select('expires_at').where('id', '=', expired.id),
  ) as { expires_at: string }
  expect(expires_at, 'when it had expired stays as it was').toBe(expired.expiresAt)
})

test('a site that could not be deleted keeps its keys', async () => {
  await using app = await testApp()
  const { admin, site, key } = await company(app)
  expect((await app.call(deleteSite, { params: { id: site.id } }, { token: admin.token })).status).toBe(409)
  expect((await app.call(enroll, { body: enrollBody(key.key, 'pc-2') })).status).toBe(201)
})

test('a user confined to a deleted site keeps the other sites, or none', async () => {
  const { app, org, create, remove, list } = await scene()
  await using _ = app
  const { body: one } = await create({ name: 'One' })
  const { body: two } = await create({ name: 'Two' })
  const confined = (email: string, siteIds: string[] | null) =>
    person(app, { email, scope: 'organization', orgId: org.id, siteIds })
  const both = await confined('both@x.test', [one.id, two.id])
  const last = await confined('last@x.test', [one.id])
  const free = await confined('free@x.test', null)
  expect((await remove(two.id, last.token)).body.error).toBe('Access to this site denied')
  await remove(one.id)
  const names = async (token: string) => (await list({}, token)).body
  expect((await names(both.token)).data.map(({ name }) => name)).toEqual(['Two'])
  expect(await names(last.token)).toMatchObject({ data: [], pagination: { total: 0 } })
  expect((await names(free.token)).data.map(({ name }) => name)).toEqual(['Two'])
  const storedOf = ({ id }: { id: string }) =>
    app.db.first(q.selectFrom('organization_users').select('site_ids').where('user_id', '=', id))?.site_ids
  expect([both, last, free].map(storedOf)).toEqual([JSON.stringify([two.id]), '[]', null])
})

test.each(['archived', 'merging', 'purging'] as const)('a site cannot be deleted while %s', async (status) => {
  const { app, org, create, remove } = await scene()
  await using _ = app
  const { body: site } = await create({})
  setOrganization(app, org.id, { status })
  const operator = await person(app, { email: 'sys@x.test', scope: 'system' })
  expect((await remove(site.id, operator.token)).body).toMatchObject({
    code: 'ORG_LIFECYCLE_FROZEN',
    currentStatus: status,
  })
  expect(app.rowCounts().sites).toBe(1)
})

test('writing the contact of a site creates or changes its primary contact', async () => {
  const { app, create, update, read, contacts } = await scene()
  await using _ = app
  const { body: site } = await create({ contact: { name: ' Kim ', email: 'Kim@X.test', floor: 3 } })
  expect(site.contact).toEqual({ name: ' Kim ', email: 'Kim@X.test', floor: 3 })
  const [kim] = await contacts()
  expect(kim).toMatchObject({ siteId: site.id, name: 'Kim', email: 'kim@x.test', isPrimary: true, roles: ['site'] })
  await update(site.id, { contact: { name: 'Bo', phone: '7' } })
  expect(await contacts()).toMatchObject([{ id: kim?.id, name: 'Bo', email: null, phone: '7' }])
  expect((await read(site.id)).body.contact).toEqual({ name: 'Bo', phone: '7' })
  expect((await update(site.id, { name: 'New name' })).body.contact).toEqual({ name: 'Bo', phone: '7' })
  await update(site.id, { contact: null })
  expect((await read(site.id)).body.contact).toBeNull()
  expect(await contacts()).toMatchObject([{ id: kim?.id, name: 'Bo', isPrimary: false, roles: [] }])
  expect(auditOf(app, 'contact.create')).toEqual([])
})

test('writing an existing address makes that contact of the site the primary one, unchanged otherwise', async () => {
  const { app, create, update, contacts } = await scene()
  await using _ = app
  const { body: site } = await create({ contact: { name: 'Kim', email: 'kim@x.test', phone: '7' } })
  await update(site.id, { contact: {} })
  await update(site.id, { contact: { email: 'KIM@x.test' } })
  expect(await contacts()).toMatchObject([{ name: 'Kim', phone: '7', isPrimary: true, roles: ['site'] }])
})

test('the defaults of enrollment keys are returned on request for a single organization', async () => {
  const { app, org, list } = await scene()
  await using _ = app
  const enrollmentDefaults = { ttlMinutes: 43_200, deviceCount: 1, maxTtlMinutes: 525_600 }
  expect((await list({ includeEnrollmentDefaults: '1', orgId: org.id })).body).toMatchObject({ enrollmentDefaults })
  expect((await list({ orgId: org.id })).body).not.toHaveProperty('enrollmentDefaults')
  expect((await list({ includeEnrollmentDefaults: 'true' })).body).not.toHaveProperty('enrollmentDefaults')
  const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  expect((await list({ includeEnrollmentDefaults: 'true' }, token)).body).toMatchObject({ enrollmentDefaults })
})

test('sites are listed by age with their device counts, for one organization or all in reach', async () => {
  await using app = await testApp()
  const { admin, org, site, key } = await company(app)
  await enrolledDevice(app, key.key, 'pc-2')
  const gone = await enrolledDevice(app, key.key, 'pc-3')
  app.db.run(q.updateTable('devices').set({ status: 'decommissioned' }).where('id', '=', gone.deviceId))
  const second = await organizationOf(app, admin.token, 'Second')
  await siteOf(app, admin.token, second.id, 'Branch')
  const list = (query: Record<string, string>) => app.call(listSites, { query }, { token: admin.token })
  expect((await list({})).body.data.map(({ name, deviceCount }) => [name, deviceCount])).toEqual([
    ['HQ', 2],
    ['Branch', 0],
  ])
  expect((await list({ orgId: org.id })).body.data.map(({ id }) => id)).toEqual([site.id])
  const both = await list({ orgId: org.id, organizationId: second.id })
  expect(both.body.data.map(({ name }) => name)).toEqual(['Branch'])
  expect((await list({ orgId: 'x' })).status).toBe(400)
  const nowhere = '00000000-0000-4000-8000-000000000000'
  expect((await list({ orgId: nowhere })).body.error).toBe('Access to this organization denied')
  const other = await otherCompany(app)
  for (const orgId of [nowhere, other.org.id])
    expect((await list({ orgId })).body.error).toBe('Access to this organization denied')
})

test('pages of sites with the same timestamp neither repeat nor skip', async () => {
  const { app, create, list } = await scene()
  await using _ = app
  for (let n = 0; n < 12; n++) await create({ name: `site ${n}` })
  const pages = await Promise.all(['1', '2', '3'].map((page) => list({ page, limit: '5' })))
  const ids = pages.flatMap(({ body }) => body.data.map(({ id }) => id))
  expect([ids.length, new Set(ids).size, pages[2]?.body.pagination.total]).toEqual([12, 12, 12])
})

test('a user confined to sites can see and change them, and cannot create any', async () => {
  const { app, org, create, list, read, update } = await scene()
  await using _ = app
  const { body: own } = await create({ name: 'Own' })
  const { body: other } = await create({ name: 'Other' })
  const { token } = await person(app, { email: 'c@x.test', scope: 'organization', orgId: org.id, siteIds: [own.id] })
  expect((await list({}, token)).body).toMatchObject({ data: [{ name: 'Own' }], pagination: { total: 1 } })
  expect((await read(own.id, token)).status).toBe(200)
  expect((await update(own.id, { name: 'Mine' }, token)).body.name).toBe('Mine')
  expect((await read(other.id, token)).body.error).toBe('Access to this site denied')
  expect((await update(other.id, { name: 'Mine' }, token)).status).toBe(403)
  expect((await create({ name: 'New' }, token)).body.error).toBe('Access to this site denied')
  const nobody = await person(app, { email: 'n@x.test', scope: 'organization', orgId: org.id, siteIds: [] })
  expect((await list({}, nobody.token)).body).toEqual({ data: [], pagination: { page: 1, limit: 50, total: 0 } })
  expect(auditOf(app, 'site.create')).toHaveLength(2)
})

test('an unconfined member of an organization can create sites only there', async () => {
  const { app, admin, org, create } = await scene()
  await using _ = app
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  expect((await create({ name: 'New' }, token)).status).toBe(201)
  expect((await create({ orgId: sibling.id }, token)).body.error).toBe('Access to this organization denied')
})

test('two sites may have the same name', async () => {
  const { app, create } = await scene()
  await using _ = app
  const [one, two] = [await create({}), await create({})]
  expect([one.status, two.status, one.body.id === two.body.id]).toEqual([201, 201, false])
})
