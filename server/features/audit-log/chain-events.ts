import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { EventOwner } from '../../platform/actor.ts'
import { type AuditChain, eventChecksum } from '../../platform/audit-chain.ts'
import type { AuditLogTable } from '../../platform/audit-tables.ts'

/** An event as it is stored. */
export type StoredEvent = Selectable<AuditLogTable>

/** Predicate for the `where` of a query on events or chains: those of exactly this owner. */
export const isOf = ({ org_id, partner_id }: EventOwner): RawBuilder<boolean> =>
  sql`partner_id is ${partner_id} and org_id is ${org_id}`

/** At most `limit` events of an owner after number `seq`, in the order in which they were written. */
export const eventsAfter = (db: Database, owner: EventOwner, seq: number, limit: number): StoredEvent[] =>
  db.all(q.selectFrom('audit_logs').selectAll().where(isOf(owner)).where('seq', '>', seq).orderBy('seq').limit(limit))

/** First, last and number of the stored events of one owner, whatever their chain says. */
export function endsOf(db: Database, { org_id, partner_id }: EventOwner) {
  const owned = q.selectFrom('audit_logs').where(isOf({ org_id, partner_id }))
  const one = owned.select(['seq', 'checksum']).limit(1)
  const [first, head] = [db.first(one.orderBy('seq')), db.first(one.orderBy('seq', 'desc'))]
  const length = db.first(owned.select(({ fn }) => fn.countAll<number>().as('events')))?.events ?? 0
  const [first_seq, head_seq] = [first?.seq ?? 0, head?.seq ?? 0]
  return { org_id, partner_id, first_seq, head_seq, head: head?.checksum ?? '', length }
}

/** The owner of events that follows `last` in the order of the index; undefined after the last one. */
export function ownerAfter(db: Database, last: EventOwner | null): EventOwner | undefined {
  const first = (where: RawBuilder<unknown>) => {
    const next = sql<EventOwner>`select partner_id, org_id from audit_logs indexed by audit_logs_partner
      where ${where} order by partner_id, org_id limit 1`.compile(q)
    return db.statement<EventOwner>(next.sql).get(next.parameters)
  }
  // A comparison with null is never true in SQL, and the index has nulls first.
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

/** Whether its organization is being erased: events are missing in between until that is done. */
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

/** Whether its organization was erased. */
export const isOfErased = (db: Database, { org_id }: EventOwner): boolean =>
  org_id !== null && db.first(q.selectFrom('organizations').select('id').where('id', '=', org_id)) === undefined

/** Whether the checksum of an event is right for its content. */
export function isUnchanged({ seq: _, checksum, prev_checksum, ...row }: StoredEvent): boolean {
  return checksum === eventChecksum(prev_checksum, row)
}

/** Whether an event is unchanged and follows the event with this checksum; null for the first event of a chain. */
export const follows = (event: StoredEvent, checksum: string | null): boolean =>
  event.prev_checksum === checksum && isUnchanged(event)
