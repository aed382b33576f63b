import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { SlaConfig, SlaEvent } from '../../../shared/api/backup-sla.ts'
import { q } from '../../db/query.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { SlaConfigTable, SlaEventTable } from './tables.ts'

export type SlaConfigRow = Selectable<SlaConfigTable>
export type SlaEventRow = Selectable<SlaEventTable>

const breachedDevices = sql<number>`(
  SELECT count(DISTINCT device_id) FROM backup_sla_events INDEXED BY backup_sla_events_open
  WHERE sla_config_id = backup_sla_configs.id AND resolved_at IS NULL)`

const targetDeviceNames = sql<JsonText<SlaConfig['targetDeviceNames']>>`(
  SELECT json_group_array(json_object('id', devices.id, 'name', coalesce(devices.display_name, devices.hostname)))
  FROM json_each(backup_sla_configs.target_devices) AS target JOIN devices ON devices.id = target.value
  WHERE devices.org_id = backup_sla_configs.org_id)`

export type ShownConfigRow = SlaConfigRow & {
  breached_devices: number
  target_device_names: JsonText<SlaConfig['targetDeviceNames']>
}

/** With the number of devices that do not keep to it now, and the names of those that it names. */
export const slaConfigRows = () =>
  q
    .selectFrom('backup_sla_configs')
    .selectAll()
    .select([breachedDevices.as('breached_devices'), targetDeviceNames.as('target_device_names')])

export const slaConfigView = (row: ShownConfigRow): SlaConfig => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  rpoTargetMinutes: row.rpo_target_minutes,
  rtoTargetMinutes: row.rto_target_minutes,
  targetDevices: fromJson(row.target_devices),
  targetGroups: fromJson(row.target_groups),
  targetDeviceNames: fromJson(row.target_device_names),
  alertOnBreach: row.alert_on_breach === 1,
  isActive: row.is_active === 1,
  checkedAt: row.checked_at,
  deviceCount: row.device_count,
  breachedDevices: row.breached_devices,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** With the names of the device and of what was promised. */
export const slaEventRows = () =>
  q
    .selectFrom('backup_sla_events')
    .innerJoin('devices', 'devices.id', 'backup_sla_events.device_id')
    .innerJoin('backup_sla_configs', 'backup_sla_configs.id', 'backup_sla_events.sla_config_id')
    .selectAll('backup_sla_events')
    .select((select) => [
      'backup_sla_configs.name as sla_config_name',
      select.fn.coalesce('devices.display_name', 'devices.hostname').as('device_name'),
    ])

export const slaEventView = (row: SlaEventRow & { sla_config_name: string; device_name: string }): SlaEvent => ({
  id: row.id,
  orgId: row.org_id,
  slaConfigId: row.sla_config_id,
  slaConfigName: row.sla_config_name,
  deviceId: row.device_id,
  deviceName: row.device_name,
  eventType: row.event_type,
  details: fromJson(row.details),
  detectedAt: row.detected_at,
  resolvedAt: row.resolved_at,
})
