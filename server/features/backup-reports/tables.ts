import { table } from '../../db/table.ts'

export interface BackupUsageDayTable {
  id: string
  org_id: string
  site_id: string
  /** `2026-11-24` */
  day: string
  stored_bytes: number
  in_store_bytes: number | null
}

export const backupReportsTables = {
  backup_usage_days: table<BackupUsageDayTable>({
    writtenBy: ['backup-reports'],
    tenancy: { by: 'organization', org: 'org_id', site: 'site_id', isOfNoGroup: true },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
