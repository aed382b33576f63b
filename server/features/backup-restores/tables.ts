import type { Generated } from 'kysely'
import type { RestoreDetails, RestoreJob } from '../../../shared/api/backup-restores.ts'
import type { ExistingFiles } from '../../../shared/device/backup.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface RestoreJobTable {
  id: string
  org_id: string
  snapshot_id: string | null
  snapshot_taken_at: string
  device_id: string
  vault_id: string | null
  restore_type: RestoreJob['restoreType']
  selected_paths: JsonText<string[]>
  target_path: string | null
  in_place: Flag
  existing_files: ExistingFiles
  status: Generated<RestoreJob['status']>
  expected_files: number | null
  expected_bytes: number | null
  restored_files: number | null
  restored_size: number | null
  timed_out_by_server: Generated<Flag>
  result: JsonText<RestoreDetails> | null
  initiated_by: string | null
  dispatched_at: string | null
  started_at: string | null
  completed_at: string | null
  last_progress_at: string | null
  created_at: string
  updated_at: string
}

export const backupRestoresTables = {
  restore_jobs: table<RestoreJobTable>({
    writtenBy: ['backup-restores'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
    unversioned: ['last_progress_at', 'restored_size', 'restored_files'],
  }),
}
