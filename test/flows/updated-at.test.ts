import { expect, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { readEnrollmentKey, rotateEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { listMemberships } from '../../shared/api/memberships.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { assignRole, readUser } from '../../shared/api/people.ts'
import { deleteSite } from '../../shared/api/sites.ts'
import { showFactor } from '../contract/stage.ts'
import { company, enrolledDevice, enrollmentKeyOf, member, person, siteOf } from '../helpers/factories.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Enrollment keys and memberships have dates of creation and of the last change. */

const nowOf = (app: TestApp) => new Date(app.clock.now()).toISOString()

test('every change of an enrollment key updates its date of change', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  showFactor(app, admin.userId)
  const { token } = admin
  const site = await siteOf(app, token, org.id, 'Annex')
  const made = await enrollmentKeyOf(app, token, { orgId: org.id, siteId: site.id })
  const { createdAt } = made
  const read = async () => (await app.call(readEnrollmentKey, { params: { id: made.id } }, { token })).body
  const changes = [
    () => enrolledDevice(app, made.key, 'annex-1'),
    () => app.call(rotateEnrollmentKey, { params: { id: made.id } }, { token }),
    async () => {
      app.db.run(q.deleteFrom('devices').where('site_id', '=', site.id))
      expect((await app.call(deleteSite, { params: { id: site.id } }, { token })).status).toBe(200)
    },
  ]
  expect(await read()).toMatchObject({ createdAt, updatedAt: createdAt })
  for (const change of changes) {
    app.clock.advance(1000)
    await change()
    expect(await read()).toMatchObject({ createdAt, updatedAt: nowOf(app) })
  }
})

test('a changed role or reach updates the date of change of a membership, and nothing else does', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  showFactor(app, admin.userId)
  const { token } = admin
  const createdAt = nowOf(app)
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const ben = await member(app, { email: 'ben@x.test', ...partner, role: 'Partner Viewer' })
  const ola = await member(app, { email: 'ola@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  app.clock.advance(1000)
  const inOrg = { ownerScope: 'organization', orgId: org.id } as const
  const of = async (id: string, query = {}) => (await app.call(readUser, { params: { id }, query }, { token })).body
  const untouched = { membershipCreatedAt: createdAt, membershipUpdatedAt: createdAt }
  expect(await of(ben.id)).toMatchObject(untouched)
  expect(await of(ola.id, inOrg)).toMatchObject(untouched)
  const give = async (id: string, name: string, scope: 'partner' | 'organization', query = {}) => {
    const roleId = findBuiltInRole(app.db, name, scope) as string
    expect((await app.call(assignRole, { params: { id }, query, body: { roleId } }, { token })).status).toBe(200)
  }
  await give(ben.id, 'Partner Technician', 'partner')
  await give(ola.id, 'Org Technician', 'organization', inOrg)
  const touched = { membershipCreatedAt: createdAt, membershipUpdatedAt: nowOf(app) }
  expect(await of(ben.id)).toMatchObject(touched)
  expect(await of(ola.id, inOrg)).toMatchObject(touched)
  const mine = await app.call(listMemberships, {}, { token: await sessionOf(app, ola.id) })
  expect(mine.body.data).toMatchObject([{ createdAt, updatedAt: nowOf(app) }])
})

test('creating an organization updates the membership of a creator with selected ones', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const partner = { scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
  const { token } = await person(app, { email: 'sel@x.test', ...partner, orgIds: [] })
  app.clock.advance(1000)
  const body = { name: 'New', slug: 'new' }
  expect((await app.call(createOrganization, { body }, { token })).status).toBe(201)
  const mine = await app.call(listMemberships, {}, { token })
  expect(mine.body.data).toMatchObject([{ updatedAt: nowOf(app) }])
})

test('rows of older appliances were last changed when they were created', () => {
  const db = new Database({ file: ':memory:' })
  const older = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name.endsWith('-updated-at')),
  )
  db.migrate(older)
  const at = '2026-01-01T00:00:00.000Z'
  const stamps = { created_at: at, updated_at: at }
  db.run(q.insertInto('partners').values({ id: 'p', name: 'P', slug: 'p', ...stamps }))
  db.run(q.insertInto('organizations').values({ id: 'o', partner_id: 'p', name: 'O', slug: 'o', ...stamps }))
  db.statement(
    `INSERT INTO enrollment_keys (id, org_id, name, key, created_at) VALUES ('k', 'o', 'K', 'h', '${at}')`,
  ).run()
  db.migrate()
  const keys = q.selectFrom('enrollment_keys').select(['id', 'updated_at']).orderBy('id')
  expect(db.all(keys)).toEqual([{ id: 'k', updated_at: at }])
  const later = '2026-02-01T00:00:00.000Z'
  db.run(
    q.insertInto('enrollment_keys').values({ id: 'l', org_id: 'o', name: 'L', key: 'i', created_at: later } as never),
  )
  expect(db.all(keys)).toEqual([
    { id: 'k', updated_at: at },
    { id: 'l', updated_at: later },
  ])
  db.close()
})
