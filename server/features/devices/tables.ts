import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { deviceRole, OsType } from '../../../shared/device/inventory.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

type DeviceRole = z.infer<typeof deviceRole>
/** What people keep of a device beside what it reports, by their own names. */
export type CustomFields = Record<string, unknown>

export interface DeviceTable {
  seq: Generated<number>
  id: string
  org_id: string
  site_id: string
  agent_id: string
  hostname: string
  display_name: string | null
  os_type: OsType
  os_version: string | null
  os_build: string | null
  architecture: string | null
  agent_version: string | null
  watchdog_version: string | null
  /** The engine of backups, as `restic/0.18.0`; null when the agent has none. */
  backup_version: string | null
  agent_server_url: string | null
  device_role: Generated<DeviceRole>
  device_role_source: Generated<'auto' | 'manual'>
  is_virtual: Generated<Flag>
  virtualization_platform: string | null
  status: DeviceStatus
  enrolled_at: string | null
  enrolled_by: string | null
  last_seen_at: string | null
  last_user: string | null
  uptime_seconds: number | null
  pending_reboot: Generated<Flag>
  is_headless: Flag | null
  battery_status: JsonText<unknown> | null
  wan_ip: string | null
  wan_ip_audited_at: string | null
  lan_ip: string | null
  tags: Generated<JsonText<string[]>>
  custom_fields: Generated<JsonText<CustomFields>>
  cpu_percent: number | null
  ram_percent: number | null
  /** Of its fullest disk. */
  disk_percent: number | null
  metrics_at: string | null
  trust_fingerprints: JsonText<string[]> | null
  agent_token_hash: string | null
  watchdog_token_hash: string | null
  helper_token_hash: string | null
  token_issued_at: string | null
  previous_token_hash: string | null
  previous_token_expires_at: string | null
  pending_token_hash: string | null
  pending_watchdog_token_hash: string | null
  pending_helper_token_hash: string | null
  pending_token_expires_at: string | null
  agent_token_suspended_at: string | null
  agent_token_suspended_reason: string | null
  quarantined_at: string | null
  quarantined_reason: string | null
  maintenance_until: string | null
  uninstall_intent_at: string | null
  watchdog_status: string | null
  main_agent_silent_since: string | null
  possible_replacement_of_device_id: string | null
  created_at: string
  updated_at: string
}

export interface DeviceMetricTable {
  device_id: string
  at: number
  cpu: number
  ram: number
  ram_used_mb: number
  disk: number
  disk_used_gb: number
  disk_activity_available: Flag | null
  disk_read_bytes: number | null
  disk_write_bytes: number | null
  disk_read_bps: number | null
  disk_write_bps: number | null
  disk_read_ops: number | null
  disk_write_ops: number | null
  network_in: number | null
  network_out: number | null
  bandwidth_in_bps: number | null
  bandwidth_out_bps: number | null
  process_count: number | null
}

/** The status from `at` on, until the next of them. */
export interface DevicePresenceTable {
  device_id: string
  at: string
  status: DeviceStatus
}

/** What devices are searched by. `id` is four times the `seq` of a device, plus 0 to 3 for its parts. */
export interface DeviceSearchTextTable {
  id: number
  lines: string
}

/** What stands in the lines of such a text. */
export interface DeviceSearchValueTable {
  value: string
  id: number
}

export const devicesTables = {
  // An agent may enroll anew at any moment, at a site of the survivor.
  devices: table<DeviceTable>({
    writtenBy: ['devices', 'agents', 'enrollment-keys', 'inventory'],
    tenancy: { by: 'organization', org: 'org_id', site: 'site_id', device: 'id' },
    merge: { policy: 'repoint', alsoKept: ['site_id'] },
    erasure: { goWith: 'organization' },
    unversioned: ['last_seen_at', 'uptime_seconds', 'cpu_percent', 'ram_percent', 'metrics_at'],
  }),
  device_search_texts: table<DeviceSearchTextTable>({
    writtenBy: ['triggers'],
    tenancy: { by: 'none', because: 'Read only through the device, which is within reach or not' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { stay: 'A trigger deletes them with their device' },
  }),
  device_search_values: table<DeviceSearchValueTable>({
    writtenBy: ['triggers'],
    tenancy: { by: 'none', because: 'Read only through the device, which is within reach or not' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { stay: 'A trigger deletes them with their device' },
  }),
  device_presence: table<DevicePresenceTable>({
    writtenBy: ['devices'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
  device_metrics: table<DeviceMetricTable>({
    writtenBy: ['devices', 'agents'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
}
