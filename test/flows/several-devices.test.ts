import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { queueCommands, runScripts } from '../../shared/api/commands.ts'
import { changeDeviceTags, setDevicesMaintenance } from '../../shared/api/devices.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { contents, regrant, showFactor } from '../contract/stage.ts'
import { commandOf } from '../helpers/commands.ts'
import { enrolledDevice, holdings, otherCompany, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { fleet } from './group-kit.ts'

/** The same done with several devices at once. */

const tagsOf = (app: TestApp, id: string) => JSON.parse(deviceRowOf(app, id)?.tags ?? 'null') as string[]
const notFound = (deviceId: string) => ({ deviceId, code: 'device_not_found', message: 'Device not found' })

test('a command goes to each of the devices, and each gets it with its next heartbeat', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  const deviceIds = [one.deviceId, two.deviceId]
  const { status, body } = await app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, admin)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    commands: deviceIds.map((deviceId) => ({ deviceId, type: 'reboot', status: 'pending' })),
    failed: [],
    skipped: [],
  })
  for (const [at, device] of [one, two].entries())
    expect((await fakeDevice(app, device).beat()).body.commands).toMatchObject([{ id: body.commands[at]?.id }])
  expect(auditOf(app, 'agent.command.reboot')).toMatchObject(
    body.commands.map(({ id, deviceId }) => ({
      actor_id: admin.userId,
      resource_id: deviceId,
      details: { commandId: id },
    })),
  )
})

test('a script runs on each of the devices with the same limits as on one', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  const deviceIds = [one.deviceId, two.deviceId]
  const body = { deviceIds, language: 'bash' as const, content: 'uname -a' }
  const { status, body: ran } = await app.call(runScripts, { body }, admin)
  expect([status, ran.commands.length]).toEqual([201, 2])
  expect(ran.commands[0]).not.toHaveProperty('payload')
  for (const { id } of ran.commands)
    expect(JSON.parse(commandOf(app, id).payload)).toEqual({
      language: 'bash',
      content: 'uname -a',
      timeoutSeconds: 300,
    })
  expect(auditOf(app, 'agent.command.script').map(({ resource_id }) => resource_id)).toEqual(deviceIds)
})

test('devices that take no command say why, and the others get theirs', async () => {
  const { app, admin, one, two, far } = await fleet()
  await using _ = app
  const stranger = await otherCompany(app)
  setDevice(app, two.deviceId, { status: 'decommissioned' })
  setDevice(app, far.deviceId, { status: 'quarantined' })
  const unknown = 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11'
  const deviceIds = [two, one, far, stranger.device].map(({ deviceId }) => deviceId).concat(unknown)
  const { status, body } = await app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, admin)
  expect(status).toBe(201)
  expect(body.commands.map(({ deviceId }) => deviceId)).toEqual([one.deviceId])
  expect(body.failed).toEqual([
    {
      deviceId: two.deviceId,
      code: 'device_decommissioned_no_commands',
      message: 'Cannot send commands to a decommissioned device',
    },
    { deviceId: far.deviceId, code: 'device_quarantined', message: 'Device is quarantined pending admin approval' },
    notFound(stranger.device.deviceId),
    notFound(unknown),
  ])
  expect(app.rowCounts().device_commands).toBe(1)
  expect(auditOf(app, 'agent.command.reboot')).toHaveLength(1)
})

test('a device for which the inventory is already requested is skipped', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  const ask = (...devices: { deviceId: string }[]) => {
    const deviceIds = devices.map(({ deviceId }) => deviceId)
    return app.call(queueCommands, { body: { deviceIds, type: 'refresh_inventory' } }, admin)
  }
  await ask(one)
  const { body } = await ask(one, two)
  expect(body.commands.map(({ deviceId }) => deviceId)).toEqual([two.deviceId])
  expect(body.skipped).toMatchObject([{ deviceId: one.deviceId, code: 'ALREADY_PENDING' }])
  expect(body.failed).toEqual([])
})

test('devices of an organization that is suspended refuse, those of another do not', async () => {
  const { app, admin, org, one } = await fleet()
  await using _ = app
  const { device } = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  setOrganization(app, org.id, { status: 'suspended' })
  const deviceIds = [one.deviceId, device.deviceId]
  const { body } = await app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, admin)
  expect(body.commands.map(({ deviceId }) => deviceId)).toEqual([device.deviceId])
  expect(body.failed).toMatchObject([{ deviceId: one.deviceId, code: 'ORG_SUSPENDED' }])
  const tagging = await app.call(changeDeviceTags, { body: { deviceIds, add: ['a'] } }, admin)
  expect(tagging.body).toMatchObject({
    changed: [device.deviceId],
    failed: [{ deviceId: one.deviceId, code: 'ORG_NOT_OPERABLE' }],
  })
})

test('a refusal that all of the devices get is that of the call', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  for (const { deviceId } of [one, two]) setDevice(app, deviceId, { status: 'decommissioned' })
  const before = await contents(app)
  const deviceIds = [one.deviceId, two.deviceId]
  const queued = await app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, admin)
  expect([queued.status, queued.body.code]).toEqual([400, 'device_decommissioned_no_commands'])
  const script = await app.call(queueCommands, { body: { deviceIds, type: 'script' } }, admin)
  expect([script.status, script.body.code]).toEqual([400, 'use_script_api'])
  expect(await contents(app)).toEqual(before)
})

test('adding tags keeps those there are, removing takes only those named', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  setDevice(app, one.deviceId, { tags: toJson(['lab', 'old']) })
  const deviceIds = [one.deviceId, two.deviceId]
  const { status, body } = await app.call(
    changeDeviceTags,
    { body: { deviceIds, add: ['new', ' lab '], remove: ['old', 'none'] } },
    admin,
  )
  expect([status, body]).toEqual([200, { changed: deviceIds, failed: [], skipped: [] }])
  expect(tagsOf(app, one.deviceId)).toEqual(['lab', 'new'])
  expect(tagsOf(app, two.deviceId)).toEqual(['new', 'lab'])
  expect(auditOf(app, 'device.update')).toMatchObject([
    { resource_id: one.deviceId, details: { before: { tags: ['lab', 'old'] }, after: { tags: ['lab', 'new'] } } },
    { resource_id: two.deviceId, details: { before: { tags: [] }, after: { tags: ['new', 'lab'] } } },
  ])
})

test('a device has no more than 100 tags, and one that has them all already is skipped', async () => {
  const { app, admin, one, two, far } = await fleet()
  await using _ = app
  const full = Array.from({ length: 100 }, (_, n) => `tag ${n}`)
  setDevice(app, one.deviceId, { tags: toJson(full) })
  setDevice(app, two.deviceId, { tags: toJson(['extra']) })
  const deviceIds = [one.deviceId, two.deviceId, far.deviceId]
  const { body } = await app.call(changeDeviceTags, { body: { deviceIds, add: ['extra'] } }, admin)
  expect(body).toMatchObject({
    changed: [far.deviceId],
    failed: [{ deviceId: one.deviceId, code: 'device_tags_full' }],
    skipped: [{ deviceId: two.deviceId, code: 'device_unchanged' }],
  })
  expect(tagsOf(app, one.deviceId)).toEqual(full)
  expect(auditOf(app, 'device.update')).toHaveLength(1)
})

test('maintenance begins and ends on all that can have it', async () => {
  const { app, admin, one, two, far } = await fleet()
  await using _ = app
  setDevice(app, far.deviceId, { status: 'decommissioned' })
  const deviceIds = [one.deviceId, two.deviceId, far.deviceId]
  const set = (enable: boolean, ids = deviceIds) =>
    app.call(setDevicesMaintenance, { body: { deviceIds: ids, enable, ...(enable && { durationHours: 2 }) } }, admin)
  const { body: begun } = await set(true)
  expect(begun.changed).toEqual([one.deviceId, two.deviceId])
  expect(begun.failed).toMatchObject([{ deviceId: far.deviceId, code: 'bad_request' }])
  expect(begun.failed[0]?.message).toContain('decommissioned')
  const until = new Date(app.clock.now() + 2 * 3_600_000).toISOString()
  expect(deviceRowOf(app, two.deviceId)).toMatchObject({ status: 'maintenance', maintenance_until: until })
  expect((await set(false, [one.deviceId])).body.changed).toEqual([one.deviceId])
  const { body: ended } = await set(false)
  expect(ended.changed).toEqual([two.deviceId])
  expect(ended.skipped.map(({ deviceId }) => deviceId)).toEqual([one.deviceId, far.deviceId])
  expect(auditOf(app, 'device.maintenance.enable')).toHaveLength(2)
  expect(auditOf(app, 'device.maintenance.disable')).toHaveLength(2)
})

const calls = (app: TestApp, deviceIds: string[], caller: { token: string }) => [
  () => app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, caller),
  () => app.call(runScripts, { body: { deviceIds, language: 'bash', content: 'true' } }, caller),
  () => app.call(setDevicesMaintenance, { body: { deviceIds, enable: true } }, caller),
  () => app.call(changeDeviceTags, { body: { deviceIds, add: ['a'] } }, caller),
]

test('the list of devices has 1 to 500 ids, each once; anything else names the field and changes nothing', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  const before = await contents(app)
  const { deviceId } = one
  const many = Array.from({ length: 501 }, (_, n) => `c2f0a4c6-2f0f-4a55-9a36-${String(n).padStart(12, '0')}`)
  for (const deviceIds of [[], many, [deviceId, deviceId.toUpperCase()], ['pc-1']])
    for (const call of calls(app, deviceIds, admin)) {
      const { status, body } = await call()
      expect([status, body.code]).toEqual([400, 'validation_failed'])
      expect(body.error).toMatch(/^deviceIds/)
    }
  expect(await contents(app)).toEqual(before)
})

test('where none of the devices is in reach, the call is a 404 and changes nothing', async () => {
  const { app, branch, org, one, two } = await fleet()
  await using _ = app
  const stranger = await otherCompany(app)
  regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  const confined = await person(app, {
    email: 'branch@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [branch.id],
  })
  showFactor(app, confined.id)
  const before = await contents(app)
  for (const call of calls(app, [one.deviceId, two.deviceId, stranger.device.deviceId], confined))
    expect(await call()).toMatchObject({ status: 404, body: { code: 'device_not_found' } })
  expect(await contents(app)).toEqual(before)
})

test('somebody confined to a site reaches its devices only, whatever else is named', async () => {
  const { app, branch, org, one, far } = await fleet()
  await using _ = app
  regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  const confined = await person(app, {
    email: 'branch@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [branch.id],
  })
  showFactor(app, confined.id)
  const untouched = deviceRowOf(app, one.deviceId)
  for (const call of calls(app, [one.deviceId, far.deviceId], confined)) {
    const { body } = await call()
    expect(body).toMatchObject({ failed: [notFound(one.deviceId)] })
  }
  expect(deviceRowOf(app, one.deviceId)).toEqual(untouched)
  expect(tagsOf(app, far.deviceId)).toEqual(['a'])
  const commands = app.db.all(q.selectFrom('device_commands').select('device_id'))
  expect(commands).toEqual([{ device_id: far.deviceId }, { device_id: far.deviceId }])
})

test('commands and scripts ask for a second factor and their own permissions', async () => {
  const { app, admin, org, one } = await fleet()
  await using _ = app
  const bare = { token: await sessionOf(app, admin.userId) }
  const role = { name: 'Org Admin', scope: 'organization' }
  const who = await person(app, { email: 'olaf@x.test', scope: 'organization', orgId: org.id })
  showFactor(app, who.id)
  const shown = { token: await sessionOf(app, who.id, 'totp') }
  const before = await contents(app)
  const [command, script] = calls(app, [one.deviceId], bare)
  expect(await command?.()).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  expect(await script?.()).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  expect(await contents(app)).toEqual(before)
  regrant(app, role, ['devices:read', 'devices:execute'])
  const statuses = async () => Promise.all(calls(app, [one.deviceId], shown).map(async (call) => (await call()).status))
  expect(await statuses()).toEqual([201, 403, 403, 403])
  regrant(app, role, ['devices:read', 'scripts:execute'])
  expect(await statuses()).toEqual([403, 201, 403, 403])
  regrant(app, role, ['devices:read', 'devices:write'])
  expect(await statuses()).toEqual([403, 403, 200, 200])
})

test('ten calls at once all get their commands', async () => {
  const { app, admin, key, one, two, far } = await fleet()
  await using _ = app
  const more = await Promise.all([4, 5, 6, 7, 8].map((n) => enrolledDevice(app, key.key, `pc-${n}`)))
  const deviceIds = [one, two, far, ...more].map(({ deviceId }) => deviceId)
  const queue = () => app.call(queueCommands, { body: { deviceIds, type: 'reboot' } }, admin)
  const answers = await Promise.all(Array.from({ length: 10 }, queue))
  for (const { body } of answers) expect(body.commands.map(({ deviceId }) => deviceId)).toEqual(deviceIds)
  expect(app.rowCounts().device_commands).toBe(80)
  const refresh = () => app.call(queueCommands, { body: { deviceIds, type: 'refresh_inventory' } }, admin)
  const refreshed = await Promise.all(Array.from({ length: 10 }, refresh))
  expect(refreshed.flatMap(({ body }) => body.commands)).toHaveLength(8)
  expect(refreshed.flatMap(({ body }) => body.skipped)).toHaveLength(72)
})
