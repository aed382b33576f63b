import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { showFactor } from '../contract/stage.ts'
import { person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { companyScene, lastDetails, organizationsAs, setStatus } from './organization-kit.ts'

test('a suspended organization can be seen and reactivated by its partner', async () => {
  const { app, create, update, read } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  expect((await update(org.id, { status: 'suspended' })).body.status).toBe('suspended')
  expect((await read(org.id)).body.status).toBe('suspended')
  expect((await update(org.id, { status: 'active' })).body.status).toBe('active')
})

test('an archived organization is read by its id only, and a purged one not at all', async () => {
  const { app, create, update, read, list, tree } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'Aachen', slug: 'a' })
  expect((await read(org.id)).body).not.toHaveProperty('archived')
  for (const status of ['suspended', 'churned', 'offboarding', 'merging'] as const) {
    setStatus(app, org.id, status)
    expect((await read(org.id)).body.status).toBe(status)
    expect((await list()).body.pagination.total).toBe(1)
  }
  for (const status of ['archived', 'purging'] as const) {
    setStatus(app, org.id, status)
    expect([(await list()).body.data, (await list({ search: 'aach' })).body.data, (await tree()).body.data]).toEqual([
      [],
      [],
      [],
    ])
    expect((await update(org.id, { name: 'B' })).body).toMatchObject({
      code: 'ORG_LIFECYCLE_FROZEN',
      currentStatus: status,
    })
  }
  expect((await read(org.id)).body).toMatchObject({ error: 'Organization not found' })
  setStatus(app, org.id, 'archived')
  expect((await read(org.id)).body).toMatchObject({ id: org.id, status: 'archived', archived: true })
  setOrganization(app, org.id, { status: 'offboarding', offboarding_target: 'archive' })
  expect((await read(org.id)).body).toMatchObject({ archived: true })
  expect(auditOf(app, 'organization.update')).toEqual([])
})

test('starting a drain needs a second factor and a member of the partner, checked before anything is read', async () => {
  const { app, admin, create, update } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  for (const id of [org.id, 'nowhere'])
    for (const body of [{ status: 'offboarding' }, { status: 'offboarding', name: '' }])
      expect((await update(id, body)).body).toMatchObject({ code: 'MFA_REQUIRED' })
  expect((await update(org.id, { name: 'B' })).status).toBe(200)
  const operator = await person(app, { email: 'sys@x.test', scope: 'system' })
  for (const { id, token } of [operator, { id: admin.userId, token: admin.token }]) {
    showFactor(app, id)
    const { status, body } = await organizationsAs(app, token).update(org.id, { status: 'offboarding' })
    if (id === operator.id) expect([status, body.error]).toEqual([403, 'Insufficient permissions'])
    else expect([status, body.status]).toEqual([200, 'offboarding'])
  }
  expect(lastDetails(app, 'organization.update')).toEqual({
    changedFields: ['status'],
    before: { status: 'active' },
    after: { status: 'offboarding' },
    fromStatus: 'active',
    toStatus: 'offboarding',
  })
})

test('setting the current status is recorded without effect, and internal statuses answer 400', async () => {
  const { app, create, update, read } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  expect((await update(org.id, { status: 'active' })).body).toEqual(org)
  expect(lastDetails(app, 'organization.update')).toMatchObject({ fromStatus: 'active', toStatus: 'active' })
  for (const status of ['archived', 'merging', 'purging', 'deleted'])
    expect((await update(org.id, { status })).status, status).toBe(400)
  expect((await read(org.id)).body.status).toBe('active')
})

test('a deleted organization is gone, and its records are kept', async () => {
  const { app, admin, create, remove, read, list } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  await siteOf(app, admin.token, org.id)
  expect(await remove(org.id)).toMatchObject({ status: 200, body: { success: true } })
  expect((await remove(org.id)).body).toMatchObject({ error: 'Organization not found' })
  expect([(await read(org.id)).status, (await list()).body.pagination.total]).toEqual([404, 0])
  const row = app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', org.id))
  expect(row).toMatchObject({ status: 'churned', deleted_at: new Date(app.clock.now()).toISOString() })
  expect([app.rowCounts().sites, auditOf(app, 'organization.delete').length]).toEqual([1, 1])
})
