import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { decommissionDevice, restoreDevice } from '../../shared/api/devices.ts'
import { createOrganization, deleteOrganization } from '../../shared/api/organizations.ts'
import { enroll } from '../../shared/device/enroll.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { enrollBody, enrollmentKeyOf, organizationOf, siteOf } from '../helpers/factories.ts'
import { deviceRowOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { platform } from './partner-kit.ts'

const ten = Array.from({ length: 10 }, (_, n) => n)
type Scene = Awaited<ReturnType<typeof platform>>

const createTen = ({ app, admin }: Scene, name = 'org') =>
  Promise.all(
    ten.map((n) =>
      app.call(createOrganization, { body: { name: `${name} ${n}`, slug: `${name}-${n}` } }, { token: admin.token }),
    ),
  )

/** Ten simultaneous enrollments, alternating between two organizations. */
async function doors({ app, admin }: Scene) {
  const keys = await Promise.all(
    ['One', 'Two'].map(async (name) => {
      const org = await organizationOf(app, admin.token, name)
      await siteOf(app, admin.token, org.id)
      return { org, key: (await enrollmentKeyOf(app, admin.token, { orgId: org.id })).key }
    }),
  )
  const enrollTen = (name: string, key?: string) =>
    Promise.all(
      ten.map((n) => app.call(enroll, { body: enrollBody(key ?? (keys[n % 2]?.key as string), `${name}-${n}`) })),
    )
  return { orgs: keys.map(({ org }) => org), keys: keys.map(({ key }) => key), enrollTen }
}

/** How often each status was returned. */
const statuses = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('of ten organizations created at once, as many succeed as the limit of the partner allows', async () => {
  await using scene = await platform()
  const { app, patch } = scene
  await patch({ plan: 'pro', maxOrganizations: 4 })
  const answers = await createTen(scene)
  expect(statuses(answers)).toEqual({ 201: 4, 409: 6 })
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    error: 'Organization limit reached (4)',
    code: 'ORGANIZATION_LIMIT_REACHED',
    maxOrganizations: 4,
  })
  const [first, second] = answers.filter(({ status }) => status === 201).map(({ body }) => body.id) as [string, string]
  setOrganization(app, first, { status: 'archived' })
  expect(statuses(await createTen(scene, 'more')), 'an archived one counts').toEqual({ 409: 10 })
  setOrganization(app, second, { deleted_at: '2026-03-01T09:00:00.000Z' })
  expect(statuses(await createTen(scene, 'more')), 'a deleted one does not').toEqual({ 201: 1, 409: 9 })
  await patch({ plan: 'unlimited' })
  expect(statuses(await createTen(scene, 'any'))).toEqual({ 201: 10 })
})

test('of ten devices enrolled at once, as many succeed as the partner allows in all its organizations', async () => {
  await using scene = await platform()
  const { app, patch } = scene
  const { enrollTen } = await doors(scene)
  await patch({ plan: 'pro', maxDevices: 3 })
  const answers = await enrollTen('pc')
  expect(statuses(answers)).toEqual({ 201: 3, 403: 7 })
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({
    error: 'Device limit reached',
    code: 'DEVICE_LIMIT_REACHED',
    currentDevices: 3,
    maxDevices: 3,
  })
  expect(app.rowCounts().devices).toBe(3)
  const gone = answers.find(({ status }) => status === 201)?.body.deviceId as string
  setDevice(app, gone, { status: 'decommissioned' })
  expect(statuses(await enrollTen('next')), 'a decommissioned one leaves room').toEqual({ 201: 1, 403: 9 })
  await patch({ maxDevices: 0 })
  expect(statuses(await enrollTen('none'))).toEqual({ 403: 10 })
  await patch({ plan: 'unlimited' })
  expect(statuses(await enrollTen('any'))).toEqual({ 201: 10 })
})

test('of ten devices enrolled at once, as many succeed as their organization allows', async () => {
  await using scene = await platform()
  const { app } = scene
  const { orgs, keys, enrollTen } = await doors(scene)
  setOrganization(app, orgs[0]?.id as string, { max_devices: 2 })
  const answers = await enrollTen('pc', keys[0])
  expect(statuses(answers)).toEqual({ 201: 2, 403: 8 })
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ currentDevices: 2, maxDevices: 2 })
  expect(statuses(await enrollTen('other', keys[1])), 'the other has no limit').toEqual({ 201: 10 })
  const used = app.db.all(q.selectFrom('enrollment_keys').select('usage_count').orderBy('usage_count'))
  expect(
    used.map(({ usage_count }) => usage_count),
    'who is refused spends no use of the key',
  ).toEqual([2, 10])
})

test('devices of a deleted organization do not count towards the limit, those of an archived one do', async () => {
  await using scene = await platform()
  const { app, patch } = scene
  const { orgs, keys, enrollTen } = await doors(scene)
  await patch({ plan: 'pro', maxDevices: 10 })
  expect(statuses(await enrollTen('pc', keys[0]))).toEqual({ 201: 10 })
  const full = orgs[0]?.id as string
  for (const status of ['suspended', 'churned', 'archived'] as const) {
    setOrganization(app, full, { status })
    const answers = await enrollTen(status, keys[1])
    expect(statuses(answers), status).toEqual({ 403: 10 })
    expect(answers[0]?.body).toMatchObject({ currentDevices: 10, maxDevices: 10 })
  }
  setOrganization(app, full, { status: 'active' })
  const { token } = scene.admin
  expect((await app.call(deleteOrganization, { params: { id: full } }, { token })).status).toBe(200)
  await patch({ maxDevices: 4 })
  expect(statuses(await enrollTen('next', keys[1]))).toEqual({ 201: 4, 403: 6 })
})

test('a decommissioned device can be restored only within the device limit', async () => {
  await using scene = await platform()
  const { app, patch, admin } = scene
  const { orgs, keys, enrollTen } = await doors(scene)
  const [org, other] = orgs.map(({ id }) => id) as [string, string]
  const made = await enrollTen('pc', keys[0])
  const gone = made[0]?.body.deviceId as string
  await app.call(decommissionDevice, { params: { id: gone } }, { token: admin.token })
  const restore = () => app.call(restoreDevice, { params: { id: gone } }, { token: admin.token })
  const refused = async (currentDevices: number) => {
    const before = app.rowCounts()
    expect(await restore()).toMatchObject({
      status: 403,
      body: { error: 'Device limit reached', code: 'DEVICE_LIMIT_REACHED', currentDevices, maxDevices: currentDevices },
    })
    expect(app.rowCounts()).toEqual(before)
    expect(deviceRowOf(app, gone)?.status).toBe('decommissioned')
  }
  setOrganization(app, org, { max_devices: 9 })
  await refused(9)
  setOrganization(app, org, { max_devices: 10 })
  await enrollTen('elsewhere', keys[1])
  await patch({ plan: 'pro', maxDevices: 19 })
  await refused(19)
  expect((await app.call(deleteOrganization, { params: { id: other } }, { token: admin.token })).status).toBe(200)
  expect((await restore()).status).toBe(200)
  expect(app.db.first(q.selectFrom('organizations').select('device_count').where('id', '=', org))?.device_count).toBe(
    10,
  )
})

test('a device that enrolls again does not count twice, but a decommissioned one needs room', async () => {
  await using scene = await platform()
  const { app, patch, admin } = scene
  const { keys, enrollTen } = await doors(scene)
  const device = (await enrollTen('pc', keys[0]))[0]?.body as ReplyOf<typeof enroll>
  await patch({ plan: 'pro', maxDevices: 10 })
  const again = (formerToken: string) =>
    app.call(
      enroll,
      { body: enrollBody(keys[0] as string, 'pc-0') },
      { headers: { 'x-agent-reenrollment-token': formerToken } },
    )
  const renewed = await again(device.authToken)
  expect([renewed.status, renewed.body.deviceId]).toEqual([201, device.deviceId])
  await app.call(decommissionDevice, { params: { id: device.deviceId } }, { token: admin.token })
  await patch({ maxDevices: 9 })
  expect((await again(renewed.body.authToken)).body).toMatchObject({ code: 'DEVICE_LIMIT_REACHED', currentDevices: 9 })
})
