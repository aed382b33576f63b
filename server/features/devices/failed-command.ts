import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import { attentionBegins } from './attention.ts'

/** The newest of the failed commands that need attention. */
export function newestFailedCommand(db: Database, reach: Reach, orgId: string | undefined, now: number) {
  // Written out, so that the index of failed commands is used.
  const failed = sql<boolean>`device_commands.status = 'failed'`
  let wanted = q
    .selectFrom('device_commands')
    .innerJoin('devices', 'devices.id', 'device_commands.device_id')
    .select(['device_commands.id', 'device_commands.device_id as deviceId'])
    .where(failed)
    .where('device_commands.completed_at', '>=', attentionBegins(now))
    .where('devices.status', '<>', 'decommissioned')
    .where(withinReach(reach, 'devices'))
  if (orgId !== undefined) wanted = wanted.where('devices.org_id', '=', orgId)
  return db.first(wanted.orderBy('device_commands.completed_at', 'desc').limit(1)) ?? null
}
