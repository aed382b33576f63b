import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

const format = '%Y-%m-%dT%H:%M:%fZ'

/** The clock of the database, which no process can set back by its own; for use inside a statement. */
export const databaseNow = sql.raw<string>(`strftime('${format}', 'now')`)
export const databaseIn = (days: number) => sql<string>`strftime('${sql.raw(format)}', 'now', ${`+${days} days`})`

/** The same as milliseconds since 1970. */
export const nowOf = (db: Database): number =>
  Date.parse(db.statement(`SELECT strftime('${format}', 'now')`).pluck().get() as string)
