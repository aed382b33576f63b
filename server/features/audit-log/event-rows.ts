import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Steps } from '../../lib/pieces.ts'

/** Details may be long, so few events are read in a step. */
const eventsPerStep = 25

/** Events with the names of their actors and organizations. */
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

/** Who did what and when, without the rest of an event: thousands are read together. */
const facts = () =>
  named()
    .select(['audit_logs.seq', 'audit_logs.timestamp', 'action', 'actor_type', 'actor_id', 'actor_email'])
    .select(['users.name as user_name', 'devices.display_name', 'devices.hostname'])

/** What decides whether events are folded into one entry. */
const traits = () =>
  q
    .selectFrom('audit_logs')
    .select(['seq', 'id', 'timestamp', 'action', 'actor_type', 'actor_id', 'actor_email'])
    .select(['resource_type', 'resource_id', 'resource_name', 'org_id', 'partner_id', 'result'])
    .select(sql<string | null>`details ->> 'importId'`.as('import_id'))

export type EventTraits = Awaited<ReturnType<ReturnType<typeof traits>['execute']>>[number]
export type EventRow = NonNullable<ReturnType<typeof findEvent>>
export type EventFacts = Awaited<ReturnType<ReturnType<typeof facts>['execute']>>[number]

export const findEvent = (db: Database, id: string) => db.first(events().where('audit_logs.id', '=', id))

const ofSeqs = 'audit_logs.seq in (select value from json_each(?))'
const newestFirst = 'order by audit_logs.timestamp desc, audit_logs.id desc'
const selectEvents = `${events().compile().sql} where ${ofSeqs} ${newestFirst}`
const selectFacts = `${facts().compile().sql} where ${ofSeqs} ${newestFirst}`

const selectTraits = `${traits().compile().sql} where ${ofSeqs} ${newestFirst}`

/** The events with these numbers, newest first. */
export const eventsOf = (db: Database, seqs: readonly number[]): EventRow[] =>
  db.statement<EventRow>(selectEvents).all(JSON.stringify(seqs))

export const factsOf = (db: Database, seqs: readonly number[]): EventFacts[] =>
  db.statement<EventFacts>(selectFacts).all(JSON.stringify(seqs))

export const traitsOf = (db: Database, seqs: readonly number[]): EventTraits[] =>
  db.statement<EventTraits>(selectTraits).all(JSON.stringify(seqs))

export const findTraits = (db: Database, id: string) => db.first(traits().where('audit_logs.id', '=', id))

/** `view` of each of these events. The numbers must be in the order of the log, newest first. */
export function* mapEvents<View>(
  db: Database,
  seqs: readonly number[],
  view: (event: EventRow) => View,
): Steps<View[]> {
  const views: View[] = []
  for (let at = 0; at < seqs.length; at += eventsPerStep) {
    views.push(...eventsOf(db, seqs.slice(at, at + eventsPerStep)).map(view))
    yield
  }
  return views
}
