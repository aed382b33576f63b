import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { EventOwner } from '../../platform/actor.ts'
import { type AuditChain, eventChecksum } from '../../platform/audit-chain.ts'
import type { AuditLogTable } from '../../platform/audit-tables.ts'

/** An event as it lies in the table. */
export type Link = Selectable<AuditLogTable>

/** For the `where` of a query on events or chains: those of one owner alone. */
export const isOf = ({ org_id, partner_id }: EventOwner): RawBuilder<boolean> =>
  sql`partner_id is ${partner_id} and org_id is ${org_id}`

/** In the order in which they were written. */
export const linksAfter = (db: Database, owner: EventOwner, seq: number, most: number): Link[] =>
  db.all(q.selectFrom('audit_logs').selectAll().where(isOf(owner)).where('seq', '>', seq).orderBy('seq').limit(most))

/** Where the events of one owner begin and end, whatever their chain says. */
export function endsOf(db: Database, { org_id, partner_id }: EventOwner) {
  const owned = q.selectFrom('audit_logs').where(isOf({ org_id, partner_id }))
  const links = owned.select(['seq', 'checksum']).limit(1)
  const [first, head] = [db.first(links.orderBy('seq')), db.first(links.orderBy('seq', 'desc'))]
  const length = db.first(owned.select(({ fn }) => fn.countAll<number>().as('events')))?.events ?? 0
  const [first_seq, head_seq] = [first?.seq ?? 0, head?.seq ?? 0]
  return { org_id, partner_id, first_seq, head_seq, head: head?.checksum ?? '', length }
}

/** Whoever owns events, one after the other, in the order of their index; undefined after the last. */
export function ownerAfter(db: Database, last: EventOwner | null): EventOwner | undefined {
  const first = (where: RawBuilder<unknown>) => {
    const next = sql<EventOwner>`select partner_id, org_id from audit_logs indexed by audit_logs_partner
      where ${where} order by partner_id, org_id limit 1`.compile(q)
    return db.statement<EventOwner>(next.sql).get(next.parameters)
  }
  // Nothing is greater than null, and null comes first.
  const after = (column: string, value: string | null) =>
    value === null ? sql`${sql.ref(column)} is not null` : sql`${sql.ref(column)} > ${value}`
  if (!last) return first(sql`1`)
  const ofSamePartner = first(sql`partner_id is ${last.partner_id} and ${after('org_id', last.org_id)}`)
  return ofSamePartner ?? first(after('partner_id', last.partner_id))
}

export const chainById = (db: Database, id: number): AuditChain | undefined =>
  db.first(q.selectFrom('audit_chains').selectAll().where('id', '=', id))

export const hasChain = (db: Database, owner: EventOwner): boolean =>
  db.first(q.selectFrom('audit_chains').select('id').where(isOf(owner))) !== undefined

export const chainIds = (db: Database): number[] =>
  db.all(q.selectFrom('audit_chains').select('id').orderBy('id')).map(({ id }) => id)

/** Its events go, in whatever order. */
export const isBeingErased = (db: Database, { org_id }: EventOwner): boolean =>
  org_id !== null &&
  db.first(
    q
      .selectFrom('tasks')
      .select('id')
      .where('org_id', '=', org_id)
      .where('kind', '=', 'organization.erase')
      .where('state', 'in', ['waiting', 'active']),
  ) !== undefined

/** Its organization is not there any more. */
export const isOfErased = (db: Database, { org_id }: EventOwner): boolean =>
  org_id !== null && db.first(q.selectFrom('organizations').select('id').where('id', '=', org_id)) === undefined

/** Nobody has touched what is in it. */
export function isUnchanged({ seq: _, checksum, prev_checksum, ...row }: Link): boolean {
  return checksum === eventChecksum(prev_checksum, row)
}

/** Nobody has touched it, nor what stands before it. */
export const follows = (link: Link, checksum: string | null): boolean =>
  link.prev_checksum === checksum && isUnchanged(link)
