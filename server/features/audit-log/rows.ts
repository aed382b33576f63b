import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Steps } from '../../lib/pieces.ts'

/** So many events are read in a step: details may be long. */
const atOnce = 25

/** Events with the names of whoever acted, and where. */
const named = () =>
  q
    .selectFrom('audit_logs')
    .leftJoin('users', 'users.id', 'audit_logs.actor_id')
    .leftJoin('devices', 'devices.id', 'audit_logs.actor_id')
    .leftJoin('organizations', 'organizations.id', 'audit_logs.org_id')

const events = () =>
  named()
    .selectAll('audit_logs')
    .select(['users.name as user_name', 'devices.display_name', 'devices.hostname', 'organizations.name as org_name'])

/** Of an event who did what and when; there may be thousands at a time. */
const facts = () =>
  named()
    .select(['audit_logs.seq', 'audit_logs.timestamp', 'action', 'actor_type', 'actor_id', 'actor_email'])
    .select(['users.name as user_name', 'devices.display_name', 'devices.hostname'])

export type EventRow = NonNullable<ReturnType<typeof findEvent>>
export type EventFacts = Awaited<ReturnType<ReturnType<typeof facts>['execute']>>[number]

export const findEvent = (db: Database, id: string) => db.first(events().where('audit_logs.id', '=', id))

const ofSeqs = 'audit_logs.seq in (select value from json_each(?))'
const newestFirst = 'order by audit_logs.timestamp desc, audit_logs.id desc'
const selectEvents = `${events().compile().sql} where ${ofSeqs} ${newestFirst}`
const selectFacts = `${facts().compile().sql} where ${ofSeqs} ${newestFirst}`

/** Newest first. */
export const eventsOf = (db: Database, seqs: readonly number[]): EventRow[] =>
  db.statement<EventRow>(selectEvents).all(JSON.stringify(seqs))

export const factsOf = (db: Database, seqs: readonly number[]): EventFacts[] =>
  db.statement<EventFacts>(selectFacts).all(JSON.stringify(seqs))

/** What is made of these events, which are in their order, newest first. */
export function* madeOfEvents<Made>(
  db: Database,
  seqs: readonly number[],
  make: (event: EventRow) => Made,
): Steps<Made[]> {
  const made: Made[] = []
  for (let at = 0; at < seqs.length; at += atOnce) {
    made.push(...eventsOf(db, seqs.slice(at, at + atOnce)).map(make))
    yield
  }
  return made
}
