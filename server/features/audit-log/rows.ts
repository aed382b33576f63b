import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Events with the names of whoever acted, and where. */
const events = () =>
  q
    .selectFrom('audit_logs')
    .leftJoin('users', 'users.id', 'audit_logs.actor_id')
    .leftJoin('devices', 'devices.id', 'audit_logs.actor_id')
    .leftJoin('organizations', 'organizations.id', 'audit_logs.org_id')
    .selectAll('audit_logs')
    .select(['users.name as user_name', 'devices.display_name', 'devices.hostname', 'organizations.name as org_name'])

export type EventRow = NonNullable<ReturnType<typeof findEvent>>

export const findEvent = (db: Database, id: string) => db.first(events().where('audit_logs.id', '=', id))

/** Newest first. */
export const eventsOf = (db: Database, seqs: readonly number[]): EventRow[] =>
  db.all(
    events()
      .where(sql<boolean>`audit_logs.seq in (select value from json_each(${JSON.stringify(seqs)}))`)
      .orderBy('audit_logs.timestamp', 'desc')
      .orderBy('audit_logs.id', 'desc'),
  )
