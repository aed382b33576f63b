import { expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import { createDeviceGroup, previewGroupRule, updateDeviceGroup } from '../../shared/api/device-groups.ts'
import { eventually } from '../helpers/eventually.ts'
import { enrolledDevice } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { type Fleet, fleet, groupOf, named, namesIn } from './group-kit.ts'

/** Expensive rules must not block the server: each test counts the turns that others get, and none measures time. */

const names = Array.from({ length: 10_000 }, (_, n) => `${'a'.repeat(300)} package ${n}`)
const installed = (value: string) => ({ field: 'software.installed', operator: 'contains', value })
const rule = (...conditions: object[]) => ({ operator: 'OR' as const, conditions })
/** None of its twenty conditions matches any device. */
const slowRule = rule(...Array.from({ length: 20 }, (_, n) => installed(`${'a'.repeat(40)}${n}!`)))

/** Five devices with long software lists; that of the first one differs from the others. */
async function withSoftware() {
  const scene = await fleet({ HOMEPORT_LIMIT_AGENT: '0/60', HOMEPORT_LIMIT_AGENT_ADDRESS: '0/60' })
  const { app, one } = scene
  const others = await Promise.all(['s-1', 's-2', 's-3', 's-4'].map((name) => enrolledDevice(app, scene.key.key, name)))
  app.db.transaction(() => {
    const report = app.db.statement(
      `INSERT INTO device_reports (device_id, kind, content, content_hash, reported_at) VALUES (?, 'software', '1', '', '')`,
    )
    const insert = app.db.statement(
      'INSERT INTO device_software (device_id, report, name, position) VALUES (?, 1, ?, ?)',
    )
    for (const { deviceId } of [one, ...others]) {
      report.run(deviceId)
      names.forEach((name, position) => {
        insert.run(deviceId, deviceId === one.deviceId ? name : `${name}!`, position)
      })
    }
  })
  return { ...scene, machine: fakeDevice(app, one), neighbor: fakeDevice(app, scene.two) }
}

/** How many heartbeats of another device are answered, one after the other, until the work is done. */
async function beatsDuring(neighbor: ReturnType<typeof fakeDevice>, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  let beats = 0
  while (!isOver) {
    expect((await neighbor.beat()).status).toBe(200)
    beats++
  }
  await over
  return beats
}

const preview = ({ app, admin, org }: Fleet, filterConditions: object) =>
  app.call(
    previewGroupRule,
    { body: { orgId: org.id, filterConditions: filterConditions as never } },
    { token: admin.token },
  )

test('a rule previewed on ten thousand names does not block other requests', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const trying = preview(scene, rule(...slowRule.conditions.slice(1), installed('package 9999!')))
  expect(await beatsDuring(scene.neighbor, trying)).toBeGreaterThan(10)
  expect((await trying).body.data.totalCount).toBe(4)
  expect(app.rowCounts().device_groups).toBe(0)
})

test('thousands of software names outside the index are matched in previews and groups', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const asked = Array.from({ length: 12 }, (_, k) => ({
    field: 'software.installed',
    operator: 'hasAny',
    value: Array.from({ length: 500 }, (_, n) => `é${k}-${n}`),
  }))
  const filterConditions = rule(...asked)
  const [a, b] = await Promise.all(
    ['A', 'B'].map((name) => groupOf(scene, { name, type: 'dynamic', filterConditions })),
  )
  expect((await preview(scene, filterConditions)).body.data.totalCount).toBe(0)
  const software = ['É11-499', ...names.slice(1)].map((name) => ({ name, version: '1' }))
  await scene.machine.request('PUT', 'software', { software })
  expect((await preview(scene, filterConditions)).body.data.totalCount).toBe(1)
  await eventually(() => expect(app.rowCounts().device_group_due).toBe(0))
  for (const group of [a, b]) expect(await namesIn(app, scene.admin.token, group?.id ?? '')).toEqual(['pc-1'])
})

test('filling a group and re-evaluating a changed device do not block other requests', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const filling = groupOf(scene, { type: 'dynamic', filterConditions: slowRule })
  expect(await beatsDuring(scene.neighbor, filling)).toBeGreaterThan(10)
  const { id } = await filling
  const software = [...names, `${'a'.repeat(40)}7!`].slice(1).map((name) => ({ name, version: '1' }))
  await scene.machine.request('PUT', 'software', { software })
  app.db.statement("UPDATE devices SET last_user = 'kim'").run()
  const settling = eventually(() => expect(app.rowCounts().device_group_due).toBe(0))
  expect(await beatsDuring(scene.neighbor, settling)).toBeGreaterThan(10)
  expect(await namesIn(app, scene.admin.token, id)).toEqual(['pc-1'])
})

test('patterns with heavy backtracking do not block other requests, and they terminate', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const adapter = { interfaceName: 'e', macAddress: 'a'.repeat(64), ipAddress: 'a'.repeat(64) }
  const adapters = Array.from({ length: 500 }, () => adapter)
  await scene.machine.request('PUT', 'network', { adapters })
  setDevice(app, scene.one.deviceId, { custom_fields: toJson({ note: 'a'.repeat(60_000) }) })
  const slow = (field: string) => ({ field, operator: 'matches', value: `${'(a|aa)*'.repeat(4)}[!?]` })
  const trying = preview(
    scene,
    rule(...['network.macAddress', 'network.ipAddress', 'custom.note'].flatMap((field) => Array(4).fill(slow(field)))),
  )
  expect(await beatsDuring(scene.neighbor, trying)).toBeGreaterThan(10)
  expect((await trying).body.data.totalCount).toBe(0)
})

test('a change reported during the evaluation of a device is taken into account', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const conditions = [{ field: 'hostname', operator: 'equals', value: 'renamed' }, ...slowRule.conditions]
  const { id } = await groupOf(scene, { type: 'dynamic', filterConditions: rule(...conditions) })
  // The device is due, and its evaluation takes several turns.
  setDevice(app, scene.one.deviceId, { last_user: 'kim' })
  await scene.neighbor.beat()
  await scene.neighbor.beat()
  setDevice(app, scene.one.deviceId, { hostname: 'renamed' })
  await eventually(async () => expect(await namesIn(app, scene.admin.token, id)).toEqual(['renamed']))
  await eventually(() => expect(app.rowCounts().device_group_due).toBe(0))
})

test('a group that becomes static while it is filled keeps no members of its former rule', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const options = { token: scene.admin.token }
  const slow = rule(...slowRule.conditions.slice(1), installed('package 9999'))
  const id = () => app.db.statement('SELECT id FROM device_groups').pluck().get() as string
  const filling = groupOf(scene, { type: 'dynamic', filterConditions: slow })
  await expect.poll(id, { interval: 1 }).toBeDefined()
  const change = (body: object) => app.call(updateDeviceGroup, { params: { id: id() }, body }, options)
  expect((await change({ type: 'static' })).status).toBe(200)
  await filling
  expect(await namesIn(app, options.token, id())).toEqual([])
})

test('a device deleted during its evaluation joins no group', async () => {
  const scene = await withSoftware()
  await using app = scene.app
  const slow = rule(...slowRule.conditions.slice(1), installed('package 9999'))
  const filling = groupOf(scene, { type: 'dynamic', filterConditions: slow })
  await scene.neighbor.beat()
  app.db.statement('DELETE FROM devices WHERE id = ?').run(scene.one.deviceId)
  const { id } = await filling
  expect(await namesIn(app, scene.admin.token, id)).toEqual(['s-1', 's-2', 's-3', 's-4'])
})

test.each([
  ['software', Array.from({ length: 21 }, () => installed('a')), 'conditions.20.field'],
  [
    'patterns',
    Array.from({ length: 21 }, () => ({ field: 'hostname', operator: 'matches', value: 'a' })),
    'conditions.20.operator',
  ],
  [
    'conditions in all',
    [rule(...Array(60).fill(named('a').conditions[0])), rule(...Array(60).fill(named('a').conditions[0]))],
    'conditions.1.conditions.38',
  ],
  ['nonsense', Array(16_000).fill(1), 'conditions.100'],
  ['empty groups', Array(2000).fill({ conditions: [] }), 'conditions.100'],
])('a rule that is too large is refused with its place: %s', async (_, conditions, field) => {
  const scene = await fleet()
  await using app = scene.app
  const before = app.rowCounts()
  const refused = await preview(scene, rule(...(conditions as object[])))
  expect([refused.status, refused.body.error]).toEqual([400, 'Invalid filter conditions'])
  expect(refused.body.details).toEqual({
    formErrors: [],
    fieldErrors: { [field]: [expect.stringMatching(/at most \d+/)] },
  })
  const body = { name: 'G', type: 'dynamic' as const, filterConditions: rule(...(conditions as object[])) }
  expect((await app.call(createDeviceGroup, { body }, { token: scene.admin.token })).status).toBe(400)
  expect(app.rowCounts()).toEqual(before)
})
