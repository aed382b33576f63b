import { sql } from 'kysely'
import type { listLackingDevices } from '../../../shared/api/components.ts'
import { platformOf } from '../../../shared/components.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'

/** Those that agents report from. */
const isInService = sql<boolean>`devices.status not in ('decommissioned', 'quarantined', 'pending')`

/** Devices within reach by platform, and how many of them have reported no engine. */
export const devicesByPlatform = (db: Database, actor: UserActor) =>
  db
    .all(
      q
        .selectFrom('devices')
        .select(({ fn }) => [
          'os_type',
          'architecture',
          fn.countAll<number>().as('devices'),
          sql<number>`sum(backup_version is null)`.as('lacking'),
        ])
        .where(isInService)
        .where(withinReach(actor, 'devices'))
        .groupBy(['os_type', 'architecture']),
    )
    .map(({ os_type, architecture, devices, lacking }) => ({
      platform: platformOf(os_type, architecture ?? 'unknown'),
      devices,
      lacking,
    }))

export function lackingDevices(
  db: Database,
  actor: UserActor,
  { page, limit }: QueryOf<typeof listLackingDevices>,
): ReplyOf<typeof listLackingDevices> {
  const lacking = q
    .selectFrom('devices')
    .where('backup_version', 'is', null)
    .where(isInService)
    .where(withinReach(actor, 'devices'))
  const total = db.first(lacking.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0
  const rows = db.all(
    lacking
      .innerJoin('organizations', 'organizations.id', 'devices.org_id')
      .select(['devices.id as deviceId', 'hostname', 'display_name as displayName'])
      .select('organizations.name as organizationName')
      .select(['os_type', 'architecture', 'devices.status', 'last_seen_at as lastSeenAt'])
      .orderBy('hostname')
      .orderBy('devices.id')
      .limit(limit)
      .offset((page - 1) * limit),
  )
  const data = rows.map(({ os_type, architecture, ...row }) => ({
    ...row,
    platform: platformOf(os_type, architecture ?? 'unknown'),
  }))
  return { data, pagination: { page, limit, total } }
}
