import type { Generated } from 'kysely'
import type {
  Verification,
  VerificationDetails,
  VerificationStatus,
  VerificationType,
} from '../../../shared/api/backup-verification.ts'
import type { FileChecksum } from '../../../shared/device/backup.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

/** What was found; the rest of the details is in columns of their own. */
export type Findings = Omit<VerificationDetails, 'source' | 'requestedBy' | 'commandId' | 'ranOn' | 'subset'>

export interface VerificationTable {
  id: string
  org_id: string
  device_id: string
  repository_id: string | null
  backup_job_id: string | null
  snapshot_id: string | null
  snapshot_taken_at: string
  verification_type: VerificationType
  status: Generated<VerificationStatus>
  source: NonNullable<Verification['details']>['source']
  requested_by: string | null
  ran_on: NonNullable<Verification['details']>['ranOn']
  subset: string | null
  dispatched_at: string | null
  started_at: string
  completed_at: string | null
  last_progress_at: string | null
  timed_out_by_server: Generated<Flag>
  restore_time_seconds: number | null
  files_verified: Generated<number>
  files_failed: Generated<number>
  size_bytes: number | null
  details: JsonText<Findings> | null
  created_at: string
  updated_at: string
}

export interface SnapshotChecksumsTable {
  id: string
  snapshot_id: string
  org_id: string
  device_id: string
  files: JsonText<FileChecksum[]>
  created_at: string
}

export interface DataReadTable {
  id: string
  repository_id: string
  org_id: string
  device_id: string
  part: number
  read_at: string
  completed_at: string | null
}

export const backupVerificationTables = {
  backup_verifications: table<VerificationTable>({
    writtenBy: ['backup-verification'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
    unversioned: ['last_progress_at'],
  }),
  backup_snapshot_checksums: table<SnapshotChecksumsTable>({
    writtenBy: ['backup-verification'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_data_reads: table<DataReadTable>({
    writtenBy: ['backup-verification'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
