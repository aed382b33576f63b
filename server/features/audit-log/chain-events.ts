import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { AuditLogTable } from '../../db/tables/machinery.ts'
import type { EventOwner } from '../../platform/actor.ts'
import { type AuditChain, eventChecksum } from '../../platform/audit-chain.ts'

/** An event as it lies in the table. */
export type Link = Selectable<AuditLogTable>

/** For the `where` of a query on events or chains: those of one owner alone. */
export const isOf = ({ org_id, partner_id }: EventOwner): RawBuilder<boolean> =>
  sql`partner_id is ${partner_id} and org_id is ${org_id}`

/** In the order in which they were written. */
export const linksAfter = (db: Database, owner: EventOwner, seq: number, most: number): Link[] =>
  db.all(q.selectFrom('audit_logs').selectAll().where(isOf(owner)).where('seq', '>', seq).orderBy('seq').limit(most))

export const chainById = (db: Database, id: number): AuditChain | undefined =>
  db.first(q.selectFrom('audit_chains').selectAll().where('id', '=', id))

export const chainIds = (db: Database): number[] =>
  db.all(q.selectFrom('audit_chains').select('id').orderBy('id')).map(({ id }) => id)

/** Its events go, in whatever order. */
export const isBeingErased = (db: Database, { org_id }: EventOwner): boolean =>
  org_id !== null &&
  db.first(
    q
      .selectFrom('tenant_jobs')
      .select('id')
      .where('org_id', '=', org_id)
      .where('kind', '=', 'erasure')
      .where('state', 'in', ['waiting', 'active']),
  ) !== undefined

/** Nobody has touched what is in it. */
export function isUnchanged({ seq: _, checksum, prev_checksum, ...row }: Link): boolean {
  return checksum === eventChecksum(prev_checksum, row)
}

/** Nobody has touched it, nor what stands before it. */
export const follows = (link: Link, checksum: string | null): boolean =>
  link.prev_checksum === checksum && isUnchanged(link)
