import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** How many snapshots of an organization are to be kept whatever happens: on legal hold, or immutable at this time. */
export function snapshotsOnHold(db: Database, orgId: string, now: string): number {
  const count = q
    .selectFrom('backup_snapshots')
    .select((select) => select.fn.countAll<number>().as('held'))
    .where('org_id', '=', orgId)
    .where((where) =>
      where.or([
        where('legal_hold', '=', 1),
        where.and([where('is_immutable', '=', 1), where('immutable_until', '>', now)]),
      ]),
    )
  return db.one(count).held
}
