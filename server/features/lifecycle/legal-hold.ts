import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** How many snapshots of an organization somebody wants to be kept whatever happens. */
export function snapshotsOnHold(db: Database, orgId: string): number {
  const count = q
    .selectFrom('backup_snapshots')
    .select((select) => select.fn.countAll<number>().as('held'))
    .where('org_id', '=', orgId)
    .where('legal_hold', '=', 1)
  return db.one(count).held
}
