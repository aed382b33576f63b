import type { Selectable, Updateable } from 'kysely'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
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
