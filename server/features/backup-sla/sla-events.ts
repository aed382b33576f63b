import type { listSlaEvents } from '../../../shared/api/backup-sla.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { slaEventRows, slaEventView } from './views.ts'

/** Where promises are or were not kept, the newest first. */
export function slaEvents(
  db: Database,
  actor: UserActor,
  wanted: QueryOf<typeof listSlaEvents>,
): ReplyOf<typeof listSlaEvents> {
  const orgId = backupOrganization(db, actor, wanted.orgId)
  const { page, limit } = wanted
  let found = q
    .selectFrom('backup_sla_events')
    .where('backup_sla_events.org_id', '=', orgId)
    .where(withinReach(actor, 'backup_sla_events'))
  if (wanted.configId) found = found.where('sla_config_id', '=', wanted.configId)
  if (wanted.deviceId) found = found.where('device_id', '=', wanted.deviceId)
  if (wanted.eventType) found = found.where('event_type', '=', wanted.eventType)
  if (wanted.state) found = found.where('resolved_at', wanted.state === 'open' ? 'is' : 'is not', null)
  if (wanted.from) found = found.where('detected_at', '>=', wanted.from)
  if (wanted.to) found = found.where('detected_at', '<=', wanted.to)
  const { total } = db.one(found.select((select) => select.fn.countAll<number>().as('total')))
  const ids = found
    .select('id')
    .orderBy('detected_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
  const rows = db.all(
    slaEventRows()
      .where('backup_sla_events.id', 'in', ids)
      .orderBy('detected_at', 'desc')
      .orderBy('backup_sla_events.id', 'desc'),
  )
  return { data: rows.map(slaEventView), pagination: { page, limit, total } }
}
