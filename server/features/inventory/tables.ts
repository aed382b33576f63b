import { table } from '../../db/table.ts'

export type ReportKind = 'hardware' | 'software' | 'disks' | 'network' | 'vpns' | 'connections'

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

export const inventoryTables = {
  device_hardware: table<DeviceHardwareTable>({
    writtenBy: ['inventory'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
  device_software: table<DeviceSoftwareTable>({
    writtenBy: ['inventory'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
  device_reports: table<DeviceReportTable>({
    writtenBy: ['inventory'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device', areLarge: true },
  }),
  device_recovery_keys: table<DeviceRecoveryKeyTable>({
    writtenBy: ['inventory'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
}
