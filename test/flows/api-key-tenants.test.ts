import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { deleteOrganization } from '../../shared/api/organizations.ts'
import { apiKeyOf, organizationOf, otherCompany } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { withKey } from './api-key-kit.ts'
import { archiving } from './archive-kit.ts'
import { mergeScene } from './merge-kit.ts'
import { leaving, type PartnerStatus } from './offboarding-kit.ts'

/** Closing an organization or a company ends its API keys; test/flows/offboarding-matrix.test.ts has the rest. */

const statusOf = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('api_keys').select(['status', 'org_id']).where('id', '=', id))
const use = async (app: TestApp, key: string) => (await app.call(listDevices, {}, withKey(key))).status

test('archiving an organization revokes its keys, and restoring it does not bring them back', async () => {
  await using scene = await archiving()
  const { app, org } = scene
  const { id, key } = await apiKeyOf(app, await scene.token(), org.id)
  expect(await use(app, key)).toBe(200)
  await scene.patch({ status: 'suspended' })
  expect(statusOf(app, id)?.status, 'only put on hold').toBe('active')
  expect((await scene.archive()).body.status).toBe('archived')
  expect(statusOf(app, id)?.status).toBe('revoked')
  expect((await scene.restore()).status).toBe(200)
  await scene.patch({ status: 'active' })
  expect(await use(app, key)).toBe(401)
  expect(statusOf(app, id)?.status).toBe('revoked')
})

test('deleting an organization revokes only its own keys', async () => {
  await using scene = await leaving()
  const { app, admin, org } = scene
  const { id, key } = await apiKeyOf(app, admin.token, org.id)
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const kept = await apiKeyOf(app, admin.token, sibling.id)
  expect((await app.call(deleteOrganization, { params: { id: org.id } }, { token: admin.token })).status).toBe(200)
  expect(statusOf(app, id)?.status).toBe('revoked')
  expect([await use(app, key), await use(app, kept.key)]).toEqual([401, 200])
})

test.each<PartnerStatus>(['suspended', 'offboarding', 'churned'])(
  'a company that is %s permanently loses the keys of all its organizations',
  async (status) => {
    await using scene = await leaving()
    const { app, admin, org, patchPartner } = scene
    const { id, key } = await apiKeyOf(app, admin.token, org.id)
    const other = await otherCompany(app)
    const kept = await apiKeyOf(app, other.admin.token, other.org.id)
    expect((await patchPartner(status)).status).toBe(200)
    expect(statusOf(app, id)?.status).toBe('revoked')
    expect((await patchPartner('active')).status).toBe(200)
    expect([await use(app, key), await use(app, kept.key)]).toEqual([401, 200])
  },
)

test('a merge warns of the keys of the loser, revokes them and keeps them as records of the survivor', async () => {
  const { app, admin, loser, survivor, preview, run } = await mergeScene()
  const keys = [await apiKeyOf(app, admin.token, loser.org.id), await apiKeyOf(app, admin.token, loser.org.id)]
  const [first, second] = keys as [(typeof keys)[0], (typeof keys)[0]]
  const kept = await apiKeyOf(app, admin.token, survivor.org.id)
  expect((await preview()).body.warnings).toContain('2 API keys will be revoked')
  app.db.run(q.updateTable('api_keys').set({ status: 'expired' }).where('id', '=', second.id))
  expect((await preview()).body.warnings).toContain('1 API key will be revoked')
  const { result } = await run('completed')
  expect(result?.tables.api_keys).toEqual({ moved: 2, dropped: 0 })
  expect(statusOf(app, first.id)).toEqual({ status: 'revoked', org_id: survivor.org.id })
  expect(statusOf(app, second.id)).toEqual({ status: 'expired', org_id: survivor.org.id })
  expect(statusOf(app, kept.id)).toEqual({ status: 'active', org_id: survivor.org.id })
  expect([await use(app, first.key), await use(app, kept.key)]).toEqual([401, 200])
})

test('a failed merge gives the loser its keys back', async () => {
  const { app, admin, loser, run } = await mergeScene()
  const { id, key } = await apiKeyOf(app, admin.token, loser.org.id)
  app.db
    .statement("CREATE TRIGGER no_moves BEFORE UPDATE OF org_id ON devices BEGIN SELECT raise(ABORT, 'no'); END")
    .run()
  await run('failed')
  expect(statusOf(app, id)).toEqual({ status: 'active', org_id: loser.org.id })
  expect(await use(app, key)).toBe(200)
})
