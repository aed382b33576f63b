import type { Selectable } from 'kysely'
import type { DeviceRow, MetricPoint } from '../../../shared/api/devices.ts'
import { fromJson } from '../../lib/json.ts'
import { iso } from '../../platform/clock.ts'
import type { DeviceListRow } from './rows.ts'
import type { DeviceMetricTable } from './tables.ts'

const noTags: string[] = []
const noFields: Record<string, unknown> = {}

export const deviceView = (row: DeviceListRow): DeviceRow => ({
  id: row.id,
  orgId: row.org_id,
  orgName: row.org_name,
  siteId: row.site_id,
  siteName: row.site_name,
  agentId: row.agent_id,
  hostname: row.hostname,
  displayName: row.display_name,
  osType: row.os_type,
  deviceRole: row.device_role,
  deviceRoleSource: row.device_role_source,
  osVersion: row.os_version,
  osBuild: row.os_build,
  architecture: row.architecture,
  agentVersion: row.agent_version,
  watchdogVersion: row.watchdog_version,
  agentServerUrl: row.agent_server_url,
  isVirtual: row.is_virtual === 1,
  virtualizationPlatform: row.virtualization_platform,
  status: row.status,
  watchdogStatus: row.watchdog_status,
  mainAgentSilentSince: row.main_agent_silent_since,
  pendingReboot: row.pending_reboot === 1,
  lastSeenAt: row.last_seen_at,
  wanIp: row.wan_ip,
  lanIp: row.lan_ip,
  enrolledAt: row.enrolled_at,
  tags: row.tags === '[]' ? noTags : fromJson(row.tags),
  customFields: row.custom_fields === '{}' ? noFields : fromJson(row.custom_fields),
  lastUser: row.last_user,
  uptimeSeconds: row.uptime_seconds,
  isHeadless: row.is_headless === null ? null : row.is_headless === 1,
  possibleReplacementOfDeviceId: row.possible_replacement_of_device_id,
  maintenanceUntil: row.maintenance_until,
  desktopAccess: null,
  batteryStatus: row.battery_status === null ? null : fromJson(row.battery_status),
  activeVpns: null,
  linkGroupId: null,
  linkGroupRole: null,
  reliabilityScore: null,
  reliabilityTrend: null,
  helperLifecycleMode: null,
  cpuPercent: row.cpu_percent,
  ramPercent: row.ram_percent,
  diskPercent: row.disk_percent,
  hardware:
    row.hardware_of === null
      ? null
      : {
          manufacturer: row.manufacturer,
          model: row.model,
          serialNumber: row.serial_number,
          cpuModel: row.cpu_model,
          cpuCores: row.cpu_cores,
          ramTotalMb: row.ram_total_mb,
          diskTotalGb: row.disk_total_gb,
        },
  metrics:
    row.metrics_at === null || row.cpu_percent === null || row.ram_percent === null
      ? null
      : { cpuPercent: row.cpu_percent, ramPercent: row.ram_percent, timestamp: row.metrics_at },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const metricView = (row: Omit<Selectable<DeviceMetricTable>, 'device_id'>): MetricPoint => ({
  timestamp: iso(row.at),
  cpu: row.cpu,
  ram: row.ram,
  ramUsedMb: row.ram_used_mb,
  disk: row.disk,
  diskUsedGb: row.disk_used_gb,
  diskActivityAvailable: row.disk_activity_available === null ? null : row.disk_activity_available === 1,
  diskReadBytes: row.disk_read_bytes,
  diskWriteBytes: row.disk_write_bytes,
  diskReadBps: row.disk_read_bps,
  diskWriteBps: row.disk_write_bps,
  diskReadOps: row.disk_read_ops,
  diskWriteOps: row.disk_write_ops,
  networkIn: row.network_in,
  networkOut: row.network_out,
  bandwidthInBps: row.bandwidth_in_bps,
  bandwidthOutBps: row.bandwidth_out_bps,
  processCount: row.process_count,
})
