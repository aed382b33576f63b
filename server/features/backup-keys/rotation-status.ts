import { sql } from 'kysely'
import type { readKeyRotation } from '../../../shared/api/backup-keys.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { backupOrganization } from '../backup-storage/index.ts'

const isWaiting = sql<boolean>`EXISTS (
  SELECT 1 FROM storage_encryption_keys AS key WHERE key.id = backup_repositories.key_id AND key.is_active = 0)`
const isRemoving = sql<boolean>`EXISTS (
  SELECT 1 FROM backup_repository_keys AS other WHERE other.repository_id = backup_repositories.id)`

/** How far the repositories of an organization are with the change of their key. */
export function readRotation(
  db: Database,
  actor: UserActor,
  { orgId: named, page, limit }: QueryOf<typeof readKeyRotation>,
): ReplyOf<typeof readKeyRotation> {
  const orgId = backupOrganization(db, actor, named)
  const seen = q
    .selectFrom('backup_repositories')
    .where('backup_repositories.org_id', '=', orgId)
    .where('state', '!=', 'retired')
    .where(withinReach(actor, 'backup_repositories'))
  const changing = seen.where((where) => where.or([isWaiting, isRemoving]))
  const count = (of: typeof seen) => db.one(of.select((select) => select.fn.countAll<number>().as('rows'))).rows
  const total = count(changing)
  const rows = db.all(
    changing
      .innerJoin('devices', 'devices.id', 'backup_repositories.device_id')
      .innerJoin('backup_configs', 'backup_configs.id', 'backup_repositories.config_id')
      .select(['backup_repositories.id', 'device_id', 'config_id', 'key_tried_at', 'key_error'])
      .select(['devices.display_name', 'devices.hostname', 'backup_configs.name as config_name'])
      .select(isWaiting.as('is_waiting'))
      .orderBy((order) => order('key_error', 'is', null))
      .orderBy('backup_repositories.id')
      .limit(limit)
      .offset((page - 1) * limit),
  )
  return {
    data: {
      total: count(seen),
      changing: total,
      repositories: rows.map((row) => ({
        id: row.id,
        deviceId: row.device_id,
        deviceName: row.display_name ?? row.hostname,
        configId: row.config_id,
        configName: row.config_name,
        step: row.is_waiting ? ('waiting' as const) : ('removing' as const),
        triedAt: row.key_tried_at,
        error: row.key_error,
      })),
    },
    pagination: { page, limit, total },
  }
}
