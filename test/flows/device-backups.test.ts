import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { BackupSnapshotTable } from '../../server/features/backup-snapshots/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso, minute } from '../../server/platform/clock.ts'
import { deleteDeviceBackups } from '../../shared/api/backup-snapshots.ts'
import { decommissionDevice, deleteDevicePermanently, moveDeviceToOrganization } from '../../shared/api/devices.ts'
import { decideUnusualChange } from '../../shared/api/unusual-changes.ts'
import { holdings, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

/** The backups of a device that does not come back, and the device itself, are deleted. */

async function scene() {
  const app = await testApp()
  const { device, operator, socket, token, org } = await storingDevice(app)
  const job = (await operator.run(device.deviceId)).body
  await socket.frame((frame) => frame.id === job.id)
  const result = { status: 'completed', snapshotId: 'a'.repeat(64), filesBackedUp: 1, bytesBackedUp: 1 }
  socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
  await socket.settled()
  const params = { deviceId: device.deviceId }
  const left = () =>
    (['backup_snapshots', 'backup_repositories'] as const).map(
      (table) => app.db.all(q.selectFrom(table).select('id').where('device_id', '=', device.deviceId)).length,
    )
  const decommission = () => app.call(decommissionDevice, { params: { id: device.deviceId } }, { token })
  const deleteBackups = (as = token) => app.call(deleteDeviceBackups, { params }, { token: as })
  const deleteDevice = () => app.call(deleteDevicePermanently, { params: { id: device.deviceId } }, { token })
  const set = (values: Updateable<BackupSnapshotTable>) => app.db.run(q.updateTable('backup_snapshots').set(values))
  return { app, device, token, org, left, decommission, deleteBackups, deleteDevice, set }
}

test('a device with backups is deleted after its backups are', async () => {
  const { app, device, left, decommission, deleteBackups, deleteDevice } = await scene()
  await decommission()
  expect(await deleteDevice()).toMatchObject({ status: 409, body: { code: 'device_has_backups' } })
  expect(left()).toEqual([1, 1])
  expect(await deleteBackups()).toMatchObject({ status: 200, body: { data: { snapshots: 1 } } })
  expect(left()).toEqual([0, 0])
  expect(auditOf(app, 'backup.device.delete')).toMatchObject([
    { resource_id: device.deviceId, details: { snapshots: 1 } },
  ])
  expect((await deleteDevice()).status).toBe(200)
})

test('backups stay while the device is in service, one is protected or somebody works with them', async () => {
  const { app, device, org, left, decommission, deleteBackups, set } = await scene()
  expect(await deleteBackups()).toMatchObject({ body: { code: 'device_must_be_decommissioned' } })
  await decommission()
  set({ legal_hold: 1, legal_hold_reason: 'Court', legal_hold_source: 'manual' })
  expect(await deleteBackups()).toMatchObject({ status: 409, body: { code: 'device_backups_protected' } })
  set({ legal_hold: 0, is_immutable: 1, immutable_until: iso(app.clock.now() + minute) })
  expect(await deleteBackups()).toMatchObject({ status: 409, body: { code: 'device_backups_protected' } })
  app.clock.advance(minute)
  app.db.run(q.updateTable('backup_repositories').set({ lock_until: iso(app.clock.now() + minute) }))
  expect(await deleteBackups()).toMatchObject({ status: 409, body: { code: 'device_backups_in_use' } })
  expect(left()).toEqual([1, 1])
  const tried = {
    ...{ result: 'denied', resource_id: device.deviceId, org_id: org.id },
    details: { refusal: 'device_backups_protected' },
  }
  expect(auditOf(app, 'backup.device.delete'), 'each try to delete what is protected').toMatchObject([tried, tried])
  app.clock.advance(minute)
  expect((await deleteBackups()).status).toBe(200)
})

test('backups stay on hold after an unusual change, until somebody has called it expected', async () => {
  const { app, device, org, token, left, decommission, deleteBackups, deleteDevice } = await scene()
  const { config_id } = app.db.one(q.selectFrom('backup_snapshots').select('config_id'))
  const none = { added: 0, removed: 0, replaced: 0, renamed: 0, newEnding: null, looked: null }
  const now = iso(app.clock.now())
  const id = randomUUIDv7()
  app.db.run(
    q.insertInto('backup_unusual_changes').values({
      ...{ id, org_id: org.id, device_id: device.deviceId, config_id, backup_mode: 'file', sign: 'kinds' },
      ...{ taken_at: now, found_at: now, state: 'open', numbers: toJson({ filesBefore: 90, changed: 80, ...none }) },
    }),
  )
  const decide = (decision: 'expected' | 'held') =>
    app.call(decideUnusualChange, { params: { id }, body: { decision, reason: 'Looked at it' } }, { token })
  await decommission()
  expect(await deleteBackups()).toMatchObject({ status: 409, body: { code: 'device_backups_held' } })
  expect((await decide('held')).status).toBe(200)
  expect(await deleteBackups()).toMatchObject({ status: 409, body: { code: 'device_backups_held' } })
  expect(await deleteDevice()).toMatchObject({ status: 409, body: { code: 'device_has_backups' } })
  expect(left()).toEqual([1, 1])
  const tried = { result: 'denied', details: { refusal: 'device_backups_held' } }
  expect(auditOf(app, 'backup.device.delete')).toMatchObject([tried, tried])
  expect((await decide('expected')).status).toBe(200)
  expect(await deleteBackups()).toMatchObject({ status: 200, body: { data: { snapshots: 1 } } })
  expect((await deleteDevice()).status).toBe(200)
})

test('what an organization has of a device that went to another one is not deleted by that one', async () => {
  const { app, device, token, org, left, decommission, deleteBackups } = await scene()
  const hamburg = await holdings(app, token, 'Hamburg', 'hh-1')
  const place = { orgId: hamburg.org.id, siteId: hamburg.site.id }
  const moved = await app.call(moveDeviceToOrganization, { params: { id: device.deviceId }, body: place }, { token })
  expect(moved.status).toBe(200)
  await decommission()
  const newcomer = await person(app, { email: 'h@x.test', scope: 'organization', orgId: hamburg.org.id })
  passFactor(app, newcomer.token)
  expect(await deleteBackups(newcomer.token)).toMatchObject({ status: 409, body: { code: 'device_backups_elsewhere' } })
  const former = await person(app, { email: 'b@x.test', scope: 'organization', orgId: org.id })
  passFactor(app, former.token)
  expect((await deleteBackups(former.token)).status).toBe(404)
  expect(left()).toEqual([1, 1])
  expect(auditOf(app, 'backup.device.delete')).toEqual([])
  expect(await deleteBackups()).toMatchObject({ status: 200, body: { data: { snapshots: 1 } } })
  expect(left()).toEqual([0, 0])
  const events = auditOf(app, 'backup.device.delete').map(({ org_id, details }) => [org_id, details])
  expect(events).toEqual([
    [hamburg.org.id, { snapshots: 0 }],
    [org.id, { snapshots: 1 }],
  ])
})
