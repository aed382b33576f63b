import type { Generated } from 'kysely'
import type { BackupJob, BackupJobStatus, UnreadFile } from '../../../shared/api/backup-jobs.ts'
import type { BackupMode, BackupSelection } from '../../../shared/backup-plan.ts'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface BackupJobTable {
  id: string
  org_id: string
  device_id: string
  config_id: string | null
  policy_id: string | null
  feature_link_id: string | null
  status: Generated<BackupJobStatus>
  type: BackupJob['type']
  backup_mode: BackupMode
  selection: JsonText<BackupSelection>
  limit_upload_kib: number | null
  schedule_occurrence_key: string | null
  created_by: string | null
  dispatched_at: string | null
  started_at: string | null
  completed_at: string | null
  last_progress_at: string | null
  total_size: number | null
  transferred_size: number | null
  file_count: number | null
  total_files: number | null
  referenced_size: number | null
  referenced_files: number | null
  error_count: number | null
  error_log: string | null
  failed_files: JsonText<UnreadFile[]> | null
  snapshot_id: string | null
  vss_metadata: string | null
  parent_job_id: string | null
  created_at: string
  updated_at: string
}

export const backupJobsTables = {
  backup_jobs: table<BackupJobTable>({
    writtenBy: ['backup-jobs'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization', parent: 'parent_job_id' },
    unversioned: ['last_progress_at', 'transferred_size', 'total_size', 'file_count', 'total_files'],
  }),
}
