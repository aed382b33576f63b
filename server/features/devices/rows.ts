import { q } from '../../db/query.ts'

/** What a row of the list needs: the device, the names around it, a summary of its hardware. No credential column. */
export const deviceRows = () =>
  q
    .selectFrom('devices')
    .innerJoin('organizations', 'organizations.id', 'devices.org_id')
    .innerJoin('sites', 'sites.id', 'devices.site_id')
    .leftJoin('device_hardware', 'device_hardware.device_id', 'devices.id')
    .select([
      'devices.id',
      'devices.org_id',
      'organizations.name as org_name',
      'devices.site_id',
      'sites.name as site_name',
      'devices.agent_id',
      'devices.hostname',
      'devices.display_name',
      'devices.os_type',
      'devices.os_version',
      'devices.os_build',
      'devices.architecture',
      'devices.agent_version',
      'devices.watchdog_version',
      'devices.agent_server_url',
      'devices.device_role',
      'devices.device_role_source',
      'devices.is_virtual',
      'devices.virtualization_platform',
      'devices.status',
      'devices.watchdog_status',
      'devices.main_agent_silent_since',
      'devices.pending_reboot',
      'devices.last_seen_at',
      'devices.wan_ip',
      'devices.lan_ip',
      'devices.enrolled_at',
      'devices.tags',
      'devices.custom_fields',
      'devices.last_user',
      'devices.uptime_seconds',
      'devices.is_headless',
      'devices.battery_status',
      'devices.possible_replacement_of_device_id',
      'devices.maintenance_until',
      'devices.cpu_percent',
      'devices.ram_percent',
      'devices.disk_percent',
      'devices.metrics_at',
      'devices.created_at',
      'devices.updated_at',
      'device_hardware.device_id as hardware_of',
      'device_hardware.manufacturer',
      'device_hardware.model',
      'device_hardware.serial_number',
      'device_hardware.cpu_model',
      'device_hardware.cpu_cores',
      'device_hardware.ram_total_mb',
      'device_hardware.disk_total_gb',
    ])

type RowQuery = ReturnType<typeof deviceRows>
export type DeviceListRow = RowQuery extends { execute(): Promise<(infer Row)[]> } ? Row : never
