import { sql } from 'kysely'
import type { Vault } from '../../../shared/api/backup-vaults.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { VaultRow } from './vault-copies.ts'

export const vaultById = (db: Database, id: string): VaultRow | undefined =>
  db.first(q.selectFrom('backup_vaults').selectAll().where('id', '=', id))

/**
 * Those that are turned on, of which each may command its device. A device is of one organization only, and that of a row may
 * be a former one.
 */
export const activeVaults = () =>
  q
    .selectFrom('backup_vaults')
    .selectAll('backup_vaults')
    .where('backup_vaults.is_active', '=', 1)
    .where(
      sql<boolean>`(backup_vaults.device_id IS NULL OR EXISTS (SELECT 1 FROM devices
        WHERE devices.id = backup_vaults.device_id AND devices.org_id = backup_vaults.org_id))`,
    )

export const activeVault = (db: Database, id: string): VaultRow | undefined =>
  db.first(activeVaults().where('backup_vaults.id', '=', id))

const ofVault = (what: string, more = '') =>
  sql<number | null>`(SELECT ${sql.raw(what)} FROM backup_vault_repositories AS copy
    WHERE copy.vault_id = backup_vaults.id ${sql.raw(more)})`

/** With names, and with what is in it. */
export const vaultRows = () =>
  q
    .selectFrom('backup_vaults')
    .leftJoin('devices', 'devices.id', 'backup_vaults.device_id')
    .leftJoin('backup_configs', 'backup_configs.id', 'backup_vaults.config_id')
    .selectAll('backup_vaults')
    .select(['devices.hostname', 'devices.display_name', 'backup_configs.name as config_name'])
    .select([
      ofVault('sum(stored_bytes)').as('stored_bytes'),
      ofVault('count(*)', `AND state = 'ready'`).as('devices'),
      ofVault('max(late_since IS NOT NULL)').as('is_late'),
      ofVault('CASE WHEN count(*) = count(checked_at) THEN min(checked_at) END', `AND state = 'ready'`)
        .$castTo<string | null>()
        .as('checked_at'),
      ofVault('max(damage)').$castTo<string | null>().as('damage'),
      sql<number>`(SELECT count(*) FROM backup_vault_repositories AS copy
        JOIN backup_vault_snapshots AS copied ON copied.vault_repository_id = copy.id
        WHERE copy.vault_id = backup_vaults.id)`.as('snapshots'),
    ])

export type NamedVaultRow = VaultRow & {
  hostname: string | null
  display_name: string | null
  config_name: string | null
  stored_bytes: number | null
  devices: number | null
  is_late: number | null
  checked_at: string | null
  damage: string | null
  snapshots: number
}

export const statusView = (row: NamedVaultRow, progress: Vault['progress']) => ({
  id: row.id,
  deviceId: row.device_id,
  isActive: row.is_active === 1,
  lastSyncAt: row.last_sync_at,
  lastSyncStatus: row.last_sync_status,
  lastSyncSnapshotId: row.last_sync_snapshot_id,
  syncSizeBytes: row.stored_bytes,
  lastSyncError: row.last_sync_error,
  waitingFor: row.waiting_for,
  waitingSince: row.waiting_since,
  isLate: row.is_active === 1 && row.is_late === 1,
  progress: row.last_sync_status === 'running' ? progress : null,
})

export const vaultView = (row: NamedVaultRow, progress: Vault['progress']): Vault => ({
  ...statusView(row, progress),
  name: row.name,
  deviceName: row.display_name ?? row.hostname,
  vaultPath: row.vault_path,
  vaultType: row.vault_type,
  retentionCount: row.retention_count,
  place: row.place,
  configId: row.config_id,
  configName: row.config_name,
  schedule: row.schedule === null ? null : fromJson(row.schedule),
  remindAfterDays: row.remind_after_days,
  devices: row.devices ?? 0,
  snapshots: row.snapshots,
  checkedAt: row.checked_at,
  damage: row.damage,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
