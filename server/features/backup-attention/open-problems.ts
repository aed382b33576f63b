import { sql } from 'kysely'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'

/** One line for a device whose backups fail: that one was missed, or was partial before, says nothing more. */
const isSaidByFailure = sql<boolean>`(kind IN ('missed_twice', 'partial') AND EXISTS (
  SELECT 1 FROM backup_attention AS failure
  WHERE failure.device_id = backup_attention.device_id AND failure.kind = 'failed' AND failure.resolved_at IS NULL))`

/** What is wrong now, as far as somebody sees it; of one organization when it is named. */
export function openProblems(reach: Reach, orgId: string | undefined) {
  const open = q
    .selectFrom('backup_attention')
    .where('resolved_at', 'is', null)
    .where(withinReach(reach, 'backup_attention'))
    .where(sql<boolean>`NOT ${isSaidByFailure}`)
  return orgId === undefined ? open : open.where('backup_attention.org_id', '=', orgId)
}

export interface ProblemCount {
  kind: BackupProblem
  devices: number
  /** The device, while there is only one. */
  only: { id: string; name: string } | null
}

/** How many devices have which problem, at most `max`; without those that no device has. */
export function countProblems(db: Database, reach: Reach, orgId: string | undefined, max: number): ProblemCount[] {
  const open = openProblems(reach, orgId)
  const counts = db.all(open.select(['kind', (select) => select.fn.countAll<number>().as('devices')]).groupBy('kind'))
  return counts.map(({ kind, devices }) => ({
    kind,
    devices: Math.min(devices, max),
    only:
      devices === 1
        ? db.one(
            open
              .innerJoin('devices', 'devices.id', 'backup_attention.device_id')
              .select((select) => [
                'devices.id',
                select.fn.coalesce('devices.display_name', 'devices.hostname').as('name'),
              ])
              .where('kind', '=', kind),
          )
        : null,
  }))
}
