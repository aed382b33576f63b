import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { organizationOf, otherCompany } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { answer, platform } from './partner-kit.ts'

const routes = ['patch', 'patchOwn'] as const
const needsConnection = [400, 'External mode requires one of your partner-wide PSA connections']
const needsMode = [400, 'serviceManagementPsaConnectionId requires serviceManagementMode']

function connectionOf(
  app: TestApp,
  owner: { partner_id: string } | { org_id: string },
  status = 'active' as 'active' | 'error',
) {
  const id = randomUUID()
  const stamps = { created_at: '2026-03-01T09:00:00.000Z', updated_at: '2026-03-01T09:00:00.000Z' }
  app.db.run(q.insertInto('psa_connections').values({ id, provider: 'jira', name: 'PSA', status, ...owner, ...stamps }))
  return id
}

const pair = (mode: unknown, id?: unknown) => ({
  serviceManagementMode: mode,
  ...(id !== undefined && { serviceManagementPsaConnectionId: id }),
})

test.each(routes)('%s sets the connection to null for a mode without one', async (route) => {
  await using scene = await platform()
  const { app, admin } = scene
  const change = scene[route]
  const own = connectionOf(app, { partner_id: admin.partnerId })
  for (const mode of ['off', 'native'])
    for (const id of [randomUUID(), own, null, undefined]) {
      const { status, body } = await change(pair(mode, id))
      expect([status, body]).toMatchObject([200, pair(mode, null)])
    }
  await change(pair('external', own))
  expect((await change(pair('off', own))).body).toMatchObject(pair('off', null))
  expect(answer(await change(pair(undefined, own)))).toEqual(needsMode)
  expect(answer(await change(pair(undefined, null)))).toEqual(needsMode)
  for (const mode of ['x', '', null, 7]) expect((await change(pair(mode))).status).toBe(400)
  expect((await change(pair('off', 'nonsense'))).status).toBe(400)
})

test.each(routes)('%s accepts for the mode `external` only a connection of the whole partner', async (route) => {
  await using scene = await platform()
  const { app, admin } = scene
  const change = scene[route]
  const org = await organizationOf(app, admin.token)
  const other = await otherCompany(app)
  const before = (await scene.read()).body
  const wrong = [
    undefined,
    null,
    randomUUID(),
    connectionOf(app, { org_id: org.id }),
    connectionOf(app, { partner_id: other.partnerId }),
  ]
  for (const id of wrong)
    expect(answer(await change({ name: 'Other', ...pair('external', id) })), `${id}`).toEqual(needsConnection)
  expect((await scene.read()).body).toEqual(before)
  const broken = connectionOf(app, { partner_id: admin.partnerId }, 'error')
  expect((await change(pair('external', broken))).body, 'even one that is in trouble').toMatchObject(
    pair('external', broken),
  )
  const action = route === 'patch' ? 'partner.update' : 'partner.settings.update'
  expect(auditOf(app, action).map(({ details }) => details)).toMatchObject([
    { changedFields: ['serviceManagementMode', 'serviceManagementPsaConnectionId'] },
  ])
})

test('a connection in use cannot be deleted, nor used by another partner, enforced by the database', async () => {
  await using scene = await platform()
  const { app, admin } = scene
  const other = await otherCompany(app)
  const own = connectionOf(app, { partner_id: admin.partnerId })
  await scene.patchOwn(pair('external', own))
  expect(() => app.db.run(q.deleteFrom('psa_connections').where('id', '=', own))).toThrow('FOREIGN KEY')
  const set = (values: object) => () =>
    app.db.run(q.updateTable('partners').set(values).where('id', '=', other.partnerId))
  expect(set({ service_management_mode: 'external', service_management_psa_connection_id: own })).toThrow('FOREIGN KEY')
  expect(set({ service_management_mode: 'external' })).toThrow('CHECK')
})

test('a new partner cannot start with a connection', async () => {
  await using scene = await platform()
  const umbrella = { name: 'Umbrella', slug: 'umbrella' }
  const connection = connectionOf(scene.app, { partner_id: scene.admin.partnerId })
  for (const id of [undefined, null, connection])
    expect(answer(await scene.create({ ...umbrella, ...pair('external', id) }))).toEqual(needsConnection)
  expect(answer(await scene.create({ ...umbrella, serviceManagementPsaConnectionId: null }))).toEqual(needsMode)
  expect((await scene.create({ ...umbrella, ...pair('off', connection) })).body).toMatchObject(pair('off', null))
})

test('an unknown stored mode is read as native and can be replaced', async () => {
  await using scene = await platform()
  const { app, admin, read, readOwn, list, patchOwn } = scene
  app.db.statement('PRAGMA ignore_check_constraints = ON').run()
  for (const mode of ['', 'of', 'EXTERNAL']) {
    app.db.statement('UPDATE partners SET service_management_mode = ?').run(mode)
    expect((await read()).body).toMatchObject(pair('native', null))
    expect((await readOwn()).body).toMatchObject(pair('native', null))
    expect((await list()).body.data).toMatchObject([pair('native', null)])
  }
  app.db.statement('PRAGMA ignore_check_constraints = OFF').run()
  expect((await patchOwn({ name: 'Other' })).body).toMatchObject({ name: 'Other', ...pair('native', null) })
  expect((await patchOwn(pair('off'))).body).toMatchObject(pair('off', null))
  expect(app.db.first(q.selectFrom('partners').selectAll().where('id', '=', admin.partnerId))).toMatchObject({
    service_management_mode: 'off',
  })
})
