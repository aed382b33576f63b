import type { Selectable, Updateable } from 'kysely'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { deviceRows } from './rows.ts'
import type { DeviceTable } from './tables.ts'
import { deviceView } from './views.ts'

export type Device = Selectable<DeviceTable>

export const findDevice = (db: Database, reach: Reach, id: string): Device | undefined =>
  db.first(q.selectFrom('devices').selectAll().where('id', '=', id).where(withinReach(reach, 'devices')))

export const findDeviceByAgentId = (db: Database, agentId: string): Device | undefined =>
  db.first(q.selectFrom('devices').selectAll().where('agent_id', '=', agentId))

export function readDeviceRow(db: Database, reach: Reach, id: string): DeviceRow | undefined {
  const row = db.first(deviceRows().where('devices.id', '=', id).where(withinReach(reach, 'devices')))
  return row && deviceView(row)
}

export const updateDevice = (db: Database, id: string, changes: Updateable<DeviceTable>): number =>
  db.run(q.updateTable('devices').set(changes).where('id', '=', id))

/** The key a device enrolled with, if the actor may see it. */
export const findEnrollmentKey = (db: Database, actor: UserActor, id: string): { id: string; name: string } | null =>
  db.first(
    q
      .selectFrom('enrollment_keys')
      .select(['id', 'name'])
      .where('id', '=', id)
      .where(withinReach(actor, 'enrollment_keys')),
  ) ?? null

/** The groups of a device that the actor may see. */
export const findGroupsOf = (db: Database, actor: UserActor, deviceId: string) =>
  db.all(
    q
      .selectFrom('device_group_members')
      .innerJoin('device_groups', 'device_groups.id', 'group_id')
      .select(['group_id as groupId', 'name as groupName', 'type as groupType', 'added_at as addedAt'])
      .select('added_by as addedBy')
      .where('device_id', '=', deviceId)
      .where(withinReach(actor, 'device_groups'))
      .orderBy(byName('name'))
      .orderBy('group_id'),
  )

export const siteTimezone = (db: Database, siteId: string): string =>
  db.first(q.selectFrom('sites').select('timezone').where('id', '=', siteId))?.timezone ?? 'UTC'
