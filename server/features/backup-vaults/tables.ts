import type { Generated } from 'kysely'
import type { Vault, VaultPlace } from '../../../shared/api/backup-vaults.ts'
import type { BackupMode, BackupSchedule } from '../../../shared/backup-plan.ts'
import type { VaultType } from '../../../shared/device/backup-vaults.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

/** How the last repair from a second copy went. */
export interface RepairState {
  status: 'pending' | 'running' | 'completed' | 'failed'
  at: string
  error: string | null
  /** Pieces that were damaged or missing, and snapshots that the second copy has as well. */
  outcome: { damaged: number; snapshots: number } | null
}

export interface BackupVaultTable {
  id: string
  org_id: string
  device_id: string | null
  name: string
  place: VaultPlace
  vault_path: string
  vault_type: VaultType
  config_id: string | null
  is_active: Generated<Flag>
  retention_count: number
  schedule: JsonText<BackupSchedule> | null
  remind_after_days: number | null
  requested_at: string | null
  requested_snapshot_id: string | null
  begun_at: string | null
  heard_at: string | null
  last_sync_at: string | null
  last_sync_status: Vault['lastSyncStatus']
  last_sync_snapshot_id: string | null
  last_sync_error: string | null
  waiting_for: Vault['waitingFor']
  waiting_since: string | null
  created_at: string
  updated_at: string
}

export interface BackupVaultRepositoryTable {
  id: string
  vault_id: string
  org_id: string
  device_id: string
  repository_id: string
  folder: string
  /** In other storage; its last part is the name of the folder. */
  sub_path: string
  key_id: string
  next_key_id: string | null
  former_key_id: string | null
  state: Generated<'new' | 'ready'>
  /** A new one that was begun on a disk, which was then pulled out. */
  is_begun: Generated<Flag>
  missing: Generated<number>
  late_since: string | null
  restic_id: string | null
  last_sync_at: string | null
  error: string | null
  stored_bytes: number | null
  checked_at: string | null
  read_part: Generated<number>
  damage: string | null
  repair: JsonText<RepairState> | null
  created_at: string
  updated_at: string
}

export interface BackupVaultSnapshotTable {
  id: string
  vault_repository_id: string
  snapshot_id: string
  copy_id: string
  backup_mode: BackupMode
  taken_at: string
  synced_at: string
  size_bytes: number | null
  file_count: number | null
  manifest_verified: Generated<Flag>
}

export const backupVaultsTables = {
  backup_vaults: table<BackupVaultTable>({
    writtenBy: ['backup-vaults'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
    unversioned: ['heard_at'],
  }),
  backup_vault_repositories: table<BackupVaultRepositoryTable>({
    writtenBy: ['backup-vaults'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_vault_snapshots: table<BackupVaultSnapshotTable>({
    writtenBy: ['backup-vaults'],
    tenancy: { by: 'none', because: 'reached only through the copy that they are in' },
    merge: { policy: 'follows-parent', parent: 'backup_vault_repositories' },
    erasure: { goWith: 'reference', to: 'backup_vault_repositories' },
  }),
}
