import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { commandStatus } from '../../../shared/api/commands.ts'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { OsType } from '../../../shared/device/inventory.ts'
import type { AgentRole } from '../../../shared/endpoint.ts'
import type { Flag } from './tenancy.ts'

export interface EnrollmentKeyTable {
  id: string
  org_id: string
  site_id: string | null
  name: string
  key: string
  key_secret_hash: string | null
  short_code: string | null
  installer_platform: string | null
  usage_count: Generated<number>
  max_usage: number | null
  expires_at: string | null
  created_by: string | null
  created_at: string
  /** A new row gets its `created_at`. */
  updated_at: Generated<string>
}

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
  agent_server_url: string | null
  device_role: Generated<string>
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
  battery_status: string | null
  wan_ip: string | null
  wan_ip_audited_at: string | null
  lan_ip: string | null
  tags: Generated<string>
  custom_fields: Generated<string>
  cpu_percent: number | null
  ram_percent: number | null
  metrics_at: string | null
  trust_fingerprints: string | null
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

export interface DeviceHardwareTable {
  device_id: string
  cpu_model: string | null
  cpu_cores: number | null
  cpu_threads: number | null
  ram_total_mb: number | null
  disk_total_gb: number | null
  gpu_model: string | null
  serial_number: string | null
  manufacturer: string | null
  model: string | null
  motherboard_manufacturer: string | null
  motherboard_product: string | null
  motherboard_version: string | null
  bios_version: string | null
  chassis_type: string | null
  updated_at: string
}

export interface DeviceSoftwareTable {
  device_id: string
  report: number
  name: string
  version: string
  position: number
  vendor: string | null
  install_date: string | null
  install_location: string | null
  uninstall_string: string | null
}

export type ReportKind = 'hardware' | 'software' | 'disks' | 'network' | 'vpns' | 'connections'
export interface DeviceReportTable {
  device_id: string
  kind: ReportKind
  content: string
  content_hash: string
  reported_at: string
}

export interface DeviceRecoveryKeyTable {
  device_id: string
  key_hash: string
  encrypted: string
  reported_at: string
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

export interface DeviceCommandTable {
  id: string
  device_id: string
  type: string
  payload: string
  status: z.infer<typeof commandStatus>
  target_role: Generated<AgentRole>
  created_by: string | null
  created_at: string
  executed_at: string | null
  completed_at: string | null
  expires_at: string | null
  timed_out_by_server: Generated<Flag>
  result: string | null
  /** JSON list: why a removal of the agent is queued. */
  reasons: Generated<string>
}

export interface DeviceCommandOutputTable {
  command_id: string
  device_id: string
  stdout: string | null
  stderr: string | null
}
