import { sql } from 'kysely'
import type { listSnapshotCopies, listVaultCopies } from '../../../shared/api/backup-vaults.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { RepairState } from './tables.ts'

/** What a second copy has of each device; what went wrong comes first. */
export function copiesIn(
  db: Database,
  actor: UserActor,
  vaultId: string,
  { page, limit }: QueryOf<typeof listVaultCopies>,
): ReplyOf<typeof listVaultCopies> {
  const seen = q
    .selectFrom('backup_vault_repositories as copy')
    .where('copy.vault_id', '=', vaultId)
    .where(withinReach(actor, 'backup_vault_repositories', 'copy'))
  const total = db.one(seen.select((select) => select.fn.countAll<number>().as('total'))).total
  const rows = db.all(
    seen
      .innerJoin('devices', 'devices.id', 'copy.device_id')
      .innerJoin('backup_repositories as source', 'source.id', 'copy.repository_id')
      .innerJoin('backup_configs', 'backup_configs.id', 'source.config_id')
      .selectAll('copy')
      .select(['devices.hostname', 'devices.display_name', 'source.config_id', 'backup_configs.name as config_name'])
      .select([ofCopy<number>('count(*)').as('snapshots'), ofCopy<string | null>('max(taken_at)').as('newest')])
      .orderBy((order) => order.and([order('copy.error', 'is', null), order('copy.damage', 'is', null)]))
      .orderBy('devices.hostname')
      .orderBy('copy.id')
      .limit(limit)
      .offset((page - 1) * limit),
  )
  return {
    data: rows.map((row) => ({
      deviceId: row.device_id,
      deviceName: row.display_name ?? row.hostname,
      configId: row.config_id,
      configName: row.config_name,
      folder: row.folder,
      snapshots: row.snapshots,
      missing: row.missing,
      newestAt: row.newest,
      lastSyncAt: row.last_sync_at,
      storedBytes: row.stored_bytes,
      error: row.error,
      checkedAt: row.checked_at,
      damage: row.damage,
      repair: row.repair === null ? null : repairView(fromJson(row.repair)),
    })),
    pagination: { page, limit, total },
  }
}

/**
 * Which second copies have a snapshot.
 * @throws AppError `backup_snapshot_not_found`
 */
export function copiesOf(
  db: Database,
  actor: UserActor,
  snapshotId: string,
  named: string | undefined,
): ReplyOf<typeof listSnapshotCopies> {
  let wanted = q
    .selectFrom('backup_snapshots')
    .select(['snapshot_id', 'repository_id'])
    .where('id', '=', snapshotId)
    .where(withinReach(actor, 'backup_snapshots'))
  if (named) wanted = wanted.where('org_id', '=', named)
  const snapshot = db.first(wanted)
  if (!snapshot) throw new AppError('backup_snapshot_not_found')
  const rows = db.all(
    q
      .selectFrom('backup_vault_snapshots as copied')
      .innerJoin('backup_vault_repositories as copy', 'copy.id', 'copied.vault_repository_id')
      .innerJoin('backup_vaults', 'backup_vaults.id', 'copy.vault_id')
      .select(['backup_vaults.id', 'backup_vaults.name', 'place', 'vault_path', 'backup_vaults.device_id'])
      .select(['copied.synced_at', 'copied.manifest_verified'])
      .where('copied.snapshot_id', '=', snapshot.snapshot_id)
      .where('copy.repository_id', '=', snapshot.repository_id)
      .orderBy('copied.synced_at', 'desc'),
  )
  return {
    data: rows.map((row) => ({
      vaultId: row.id,
      vaultName: row.name,
      place: row.place,
      vaultPath: row.vault_path,
      deviceId: row.device_id,
      syncedAt: row.synced_at,
      manifestVerified: row.manifest_verified === 1,
    })),
  }
}

const ofCopy = <Value>(what: string) =>
  sql<Value>`(SELECT ${sql.raw(what)} FROM backup_vault_snapshots WHERE vault_repository_id = copy.id)`

const repairView = ({ status, at, error, outcome }: RepairState) => ({
  status,
  at,
  error,
  damaged: outcome?.damaged ?? null,
})
