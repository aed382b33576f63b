import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { ErrorCode } from '../../shared/errors/index.ts'
import { contents, showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, type Person, person, siteOf } from '../helpers/factories.ts'
import { auditOf, deviceRowOf, setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { confinedTo, groupOf } from './group-kit.ts'
import { moveScene } from './move-kit.ts'

/** Which moves of devices are refused. A refused one changes no row. */

type Scene = Awaited<ReturnType<typeof moveScene>>
interface Attempt {
  id?: string
  orgId?: string
  siteId?: string
  token?: string
}

const selected = async ({ app, admin }: Scene, orgIds: string[]) => {
  const email = `selected-${randomUUID()}@x.test`
  return person(app, { email, scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected', orgIds })
}
const hamburgIs =
  (status: 'suspended' | 'offboarding' | 'churned' | 'archived' | 'merging' | 'purging') =>
  ({ app, hamburg }: Scene): Attempt => {
    setOrganization(app, hamburg.org.id, { status })
    return {}
  }

const refusals: [
  what: string,
  status: number,
  code: ErrorCode,
  prepare: (scene: Scene) => Attempt | Promise<Attempt>,
][] = [
  ['an organization that does not exist', 404, 'organization_not_found', () => ({ orgId: randomUUID() })],
  [
    'an organization of another company',
    404,
    'organization_not_found',
    async ({ app }) => {
      const { org, site } = await otherCompany(app)
      return { orgId: org.id, siteId: site.id }
    },
  ],
  [
    'an organization of another company, wanted by an operator, who reaches both',
    404,
    'organization_not_found',
    async ({ app }) => {
      const { org, site } = await otherCompany(app)
      const operator = await person(app, { email: 'operator@x.test', scope: 'system' })
      showFactor(app, operator.id)
      return { orgId: org.id, siteId: site.id, token: operator.token }
    },
  ],
  [
    'a device of another company',
    404,
    'device_not_found',
    async ({ app }) => ({ id: (await otherCompany(app)).device.deviceId }),
  ],
  [
    'an organization that the caller may not see',
    404,
    'organization_not_found',
    async (scene) => ({ token: (await selected(scene, [scene.org.id])).token }),
  ],
  [
    'a device in an organization that the caller may not see',
    404,
    'device_not_found',
    async (scene) => ({ token: (await selected(scene, [scene.hamburg.org.id])).token }),
  ],
  [
    'another organization, wanted by a member of the present one',
    404,
    'organization_not_found',
    async ({ app, org }) =>
      person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id }).then(({ token }) => ({ token })),
  ],
  ['a site that does not exist', 400, 'target_site_invalid', () => ({ siteId: randomUUID() })],
  ['a site of another organization', 400, 'target_site_invalid', ({ branch }) => ({ siteId: branch.id })],
  ['the site it is at', 400, 'device_already_there', ({ org, site }) => ({ orgId: org.id, siteId: site.id })],
  [
    'a site out of the reach of the caller',
    400,
    'target_site_invalid',
    async ({ app, org, site, branch }) => {
      const who: Person = { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] }
      return { orgId: org.id, siteId: branch.id, token: (await person(app, who)).token }
    },
  ],
  [
    'a device at a site out of the reach of the caller',
    403,
    'site_access_denied',
    async ({ app, org, branch }) => {
      const who: Person = { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [branch.id] }
      return { orgId: org.id, siteId: branch.id, token: (await person(app, who)).token }
    },
  ],
  [
    'out of the groups the caller is confined to',
    403,
    'site_access_denied',
    async (scene) => {
      const { org, site, branch, one } = scene
      const group = await groupOf(scene, { siteId: site.id, deviceIds: [one.deviceId] })
      return { orgId: org.id, siteId: branch.id, token: (await confinedTo(scene, [group.id])).token }
    },
  ],
  [
    'a role that only reads',
    403,
    'permission_denied',
    async ({ app, admin: { partnerId } }) =>
      person(app, { email: 'v@x.test', scope: 'partner', partnerId, role: 'Partner Viewer' }),
  ],
  ['an organization that is suspended', 409, 'ORG_NOT_OPERABLE', hamburgIs('suspended')],
  ['an organization that is closing', 409, 'ORG_NOT_OPERABLE', hamburgIs('offboarding')],
  ['an organization that is closed', 409, 'ORG_NOT_OPERABLE', hamburgIs('churned')],
  ['an organization that is archived', 409, 'ORG_LIFECYCLE_FROZEN', hamburgIs('archived')],
  ['an organization that is being merged', 409, 'ORG_LIFECYCLE_FROZEN', hamburgIs('merging')],
  ['an organization that is being deleted', 409, 'ORG_LIFECYCLE_FROZEN', hamburgIs('purging')],
  [
    'an organization that is deleted',
    404,
    'organization_not_found',
    ({ app, hamburg }) => {
      setOrganization(app, hamburg.org.id, { deleted_at: '2026-01-01T00:00:00.000Z' })
      return {}
    },
  ],
  [
    'a device of a suspended organization',
    409,
    'ORG_NOT_OPERABLE',
    ({ app, org }) => {
      setOrganization(app, org.id, { status: 'suspended' })
      return {}
    },
  ],
  [
    'a company that is closing',
    409,
    'ORG_NOT_OPERABLE',
    async ({ app, admin }) => {
      const operator = await person(app, { email: 'operator@x.test', scope: 'system' })
      showFactor(app, operator.id)
      setPartner(app, admin.partnerId, { status: 'offboarding' })
      return { token: operator.token }
    },
  ],
  [
    'an organization that is full',
    403,
    'DEVICE_LIMIT_REACHED',
    ({ app, hamburg }) => {
      setOrganization(app, hamburg.org.id, { max_devices: 1 })
      return {}
    },
  ],
]

test.each(refusals)('%s: %i %s', async (_, status, code, prepare) => {
  const scene = await moveScene()
  await using app = scene.app
  const { id = scene.one.deviceId, token, ...place } = await prepare(scene)
  const before = await contents(app)
  const answer = await scene.move(id, { ...scene.toHamburg, ...place }, token)
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(await contents(app)).toEqual(before)
})

test('ten moves at once leave the device in one place, with one pair of events for each that succeeded', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { admin, org, site, one, hamburg, move } = scene
  const kiel = await organizationOf(app, admin.token, 'Kiel')
  const kielSite = await siteOf(app, admin.token, kiel.id)
  const targets = [scene.toHamburg, { orgId: kiel.id, siteId: kielSite.id }, { orgId: org.id, siteId: site.id }]
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => move(one.deviceId, targets[n % 3] ?? scene.toHamburg)),
  )
  const succeeded = answers.filter(({ status }) => status === 200)
  expect(succeeded.length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)).toEqual(
    Array.from({ length: 10 - succeeded.length }, () => 'device_already_there'),
  )
  const events = auditOf(app, 'device.move.out')
  expect(events).toHaveLength(succeeded.length)
  // Each goes on from where the one before it has put the device.
  const path = [...events.map(({ org_id }) => org_id), deviceRowOf(app, one.deviceId)?.org_id]
  expect(events.map(({ details }) => details.toOrgId)).toEqual(path.slice(1))
  expect(auditOf(app, 'device.move.in').map(({ org_id }) => org_id)).toEqual(path.slice(1))
  for (const { id } of [org, hamburg.org, kiel]) {
    const there = app.db.all(q.selectFrom('devices').select('id').where('org_id', '=', id))
    const counted = app.db.one(q.selectFrom('organizations').select('device_count').where('id', '=', id))
    expect(counted.device_count).toBe(there.length)
  }
})

test('several devices are moved with one call, and those that cannot be are listed', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { one, two, far, hamburg, toHamburg, moveMany } = scene
  const other = await otherCompany(app)
  const unknown = randomUUID()
  const { status, body } = await moveMany({
    ...toHamburg,
    deviceIds: [one.deviceId, hamburg.device.deviceId, other.device.deviceId, unknown, two.deviceId],
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    moved: [one.deviceId, two.deviceId],
    skipped: [
      { deviceId: hamburg.device.deviceId, code: 'device_already_there', message: 'Device is already at this site' },
    ],
    failed: [other.device.deviceId, unknown].map((deviceId) => ({
      deviceId,
      code: 'device_not_found',
      message: 'Device not found',
    })),
  })
  expect(deviceRowOf(app, other.device.deviceId)?.org_id).toBe(other.org.id)
  expect(deviceRowOf(app, far.deviceId)?.org_id).toBe(scene.org.id)
  expect(auditOf(app, 'device.move.in').map(({ resource_id }) => resource_id)).toEqual([one.deviceId, two.deviceId])
})

test('without an organization only devices of the organization of the site are moved', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { one, branch, hamburg, moveMany } = scene
  const { body } = await moveMany({ siteId: branch.id, deviceIds: [one.deviceId, hamburg.device.deviceId] })
  expect(body).toMatchObject({
    moved: [one.deviceId],
    failed: [{ deviceId: hamburg.device.deviceId, code: 'target_site_invalid' }],
  })
  expect(auditOf(app, 'device.move')).toMatchObject([
    { resource_id: one.deviceId, details: { before: { siteName: 'HQ' }, after: { siteName: 'Branch' } } },
  ])
  expect(auditOf(app, 'device.move.out')).toEqual([])
})

test('as many devices are moved as there is room for', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { one, two, far, hamburg, toHamburg, moveMany } = scene
  setOrganization(app, hamburg.org.id, { max_devices: 3 })
  const { body } = await moveMany({ ...toHamburg, deviceIds: [one, two, far].map(({ deviceId }) => deviceId) })
  expect(body).toMatchObject({
    moved: [one.deviceId, two.deviceId],
    failed: [{ deviceId: far.deviceId, code: 'DEVICE_LIMIT_REACHED', message: 'Device limit reached' }],
  })
  expect(app.db.one(q.selectFrom('organizations').select('device_count').where('id', '=', hamburg.org.id))).toEqual({
    device_count: 3,
  })
})

test('a target that is refused refuses the whole call, and so does one refusal of all devices', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { one, hamburg, toHamburg, moveMany } = scene
  const other = await otherCompany(app)
  setOrganization(app, hamburg.org.id, { status: 'suspended' })
  setDevice(app, one.deviceId, { status: 'online' })
  const before = await contents(app)
  const deviceIds = [one.deviceId]
  const answers = [
    await moveMany({ ...toHamburg, deviceIds }),
    await moveMany({ siteId: other.site.id, deviceIds }),
    await moveMany({ orgId: other.org.id, siteId: other.site.id, deviceIds }),
    await moveMany({ ...toHamburg, deviceIds: [] }),
    await moveMany({ siteId: scene.branch.id, deviceIds: [other.device.deviceId, randomUUID()] }),
  ]
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'ORG_NOT_OPERABLE'],
    [400, 'target_site_invalid'],
    [404, 'organization_not_found'],
    [400, 'validation_failed'],
    [404, 'device_not_found'],
  ])
  expect(await contents(app)).toEqual(before)
})
