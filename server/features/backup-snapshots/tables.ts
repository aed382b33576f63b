import type { Generated } from 'kysely'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { BackupMode } from '../../../shared/backup-plan.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

/** What a snapshot counts as, for how long it is kept. */
export type GfsTag = 'daily' | 'weekly' | 'monthly' | 'yearly'

export interface BackupSnapshotTable {
  id: string
  org_id: string
  device_id: string
  config_id: string
  repository_id: string | null
  job_id: string | null
  snapshot_id: string
  timestamp: string
  size: number
  file_count: number
  label: string
  location: string | null
  backup_type: BackupSnapshot['backupType']
  backup_mode: BackupMode
  gfs_tags: Generated<JsonText<GfsTag[]>>
  expires_at: string | null
  legal_hold: Generated<Flag>
  legal_hold_reason: string | null
  legal_hold_source: BackupSnapshot['legalHoldSource']
  legal_hold_policy_ids: JsonText<string[]> | null
  is_immutable: Generated<Flag>
  immutable_until: string | null
  immutability_enforcement: BackupSnapshot['immutabilityEnforcement']
  requested_immutability_enforcement: BackupSnapshot['immutabilityEnforcement']
  immutability_fallback_reason: string | null
  awaits_object_lock: Generated<Flag>
  encryption_key_id: string | null
  expired_at: string | null
  objects_deleted_at: string | null
  created_at: string
  updated_at: string
}

export const backupSnapshotsTables = {
  backup_snapshots: table<BackupSnapshotTable>({
    writtenBy: ['backup-snapshots', 'backup-retention', 'backup-maintenance', 'backup-keys', 'backup-object-lock'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
