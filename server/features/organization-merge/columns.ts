import type { Database } from '../../db/database.ts'

export const columnsOf = (db: Database, table: string): string[] =>
  db.statement<string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
