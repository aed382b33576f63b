import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

/** What a problem is about; which of these it has depends on its kind. */
export interface ProblemDetails {
  policyId?: string
  policyName?: string
  jobId?: string
  verificationId?: string
  /** When the job, or the check, ended. */
  endedAt?: string
  /** When it would have been time; of what was missed, for the last two times. */
  dueAt?: string[]
  /** The newest backup that can be restored from. */
  lastGoodAt?: string
  /** The second copy. */
  vaultName?: string
}

export interface BackupAttentionTable {
  id: string
  org_id: string
  device_id: string
  kind: BackupProblem
  details: JsonText<ProblemDetails>
  opened_at: string
  resolved_at: string | null
  mailed_at: string | null
  mailing_id: string | null
}

export interface BackupWatchTable {
  id: string
  device_id: string
  org_id: string
  schedule: string
  since: string
}

export interface BackupDigestTable {
  org_id: string
  due_at: string
}

export const backupAttentionTables = {
  backup_attention: table<BackupAttentionTable>({
    writtenBy: ['backup-attention'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_watches: table<BackupWatchTable>({
    writtenBy: ['backup-attention'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_digests: table<BackupDigestTable>({
    writtenBy: ['backup-attention'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'leave-for-erasure' },
    erasure: { goWith: 'organization' },
  }),
}
