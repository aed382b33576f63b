import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { SessionTable } from '../tables.ts'

export type Session = Selectable<SessionTable>

export const findSession = (db: Database, id: string): Session | undefined =>
  db.first(q.selectFrom('sessions').selectAll().where('id', '=', id))
