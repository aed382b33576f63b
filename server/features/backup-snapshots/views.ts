import type { Selectable } from 'kysely'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { q } from '../../db/query.ts'
import type { BackupSnapshotTable } from './tables.ts'

export type SnapshotRow = Selectable<BackupSnapshotTable>

/** With the names of its device and storage. */
export type NamedSnapshotRow = SnapshotRow & {
  hostname: string
  display_name: string | null
  config_name: string
}

export const namedSnapshotRows = () =>
  q
    .selectFrom('backup_snapshots')
    .innerJoin('devices', 'devices.id', 'backup_snapshots.device_id')
    .innerJoin('backup_configs', 'backup_configs.id', 'backup_snapshots.config_id')
    .selectAll('backup_snapshots')
    .select(['devices.hostname', 'devices.display_name', 'backup_configs.name as config_name'])

export const snapshotView = (row: NamedSnapshotRow, now: string): BackupSnapshot => ({
  id: row.id,
  deviceId: row.device_id,
  deviceName: row.display_name ?? row.hostname,
  configId: row.config_id,
  configName: row.config_name,
  jobId: row.job_id,
  createdAt: row.timestamp,
  backupType: row.backup_type,
  sizeBytes: row.size,
  fileCount: row.file_count,
  label: row.label,
  location: row.location,
  expiresAt: row.expires_at,
  legalHold: row.legal_hold === 1,
  legalHoldReason: row.legal_hold_reason,
  legalHoldSource: row.legal_hold_source,
  isImmutable: row.is_immutable === 1,
  immutableUntil: row.immutable_until,
  immutabilityEnforcement: row.immutability_enforcement,
  requestedImmutabilityEnforcement: row.requested_immutability_enforcement,
  immutabilityFallbackReason: row.immutability_fallback_reason,
  retentionBlockedReason: blockedBecause(row, now),
})

function blockedBecause(row: SnapshotRow, now: string): BackupSnapshot['retentionBlockedReason'] {
  if (row.legal_hold === 1) return 'legal_hold'
  return row.immutable_until !== null && row.immutable_until > now ? 'immutable_until' : null
}
