import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

const format = '%Y-%m-%dT%H:%M:%fZ'

/** The present instant by the clock of SQLite, for use inside a statement. */
export const databaseNow = sql.raw<string>(`strftime('${format}', 'now')`)
export const databaseIn = (days: number) => sql<string>`strftime('${sql.raw(format)}', 'now', ${`+${days} days`})`

/** The same instant in milliseconds since 1970. */
export const nowOf = (db: Database): number =>
  Date.parse(String(db.statement<string>(`SELECT strftime('${format}', 'now')`).pluck().get()))
