import { table } from '../../db/table.ts'

export interface BackupDeviceDayTable {
  id: string
  org_id: string
  device_id: string
  /** `2026-11-24` */
  day: string
  stored_bytes: number
  newest_bytes: number
}

export interface BackupDiskDayTable {
  day: string
  total_bytes: number
  free_bytes: number
  reserved_bytes: number
}

export const backupUsageTables = {
  backup_device_days: table<BackupDeviceDayTable>({
    writtenBy: ['backup-usage'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'dedupe', same: ['device_id', 'day'] },
    erasure: { goWith: 'organization' },
  }),
  backup_disk_days: table<BackupDiskDayTable>({
    writtenBy: ['backup-usage'],
    tenancy: { by: 'none', because: 'the disk of the appliance' },
    merge: { policy: 'none', because: 'the disk of the appliance' },
    erasure: { stay: 'the disk of the appliance' },
  }),
}
