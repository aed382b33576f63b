import type { Database, TableName } from './database.ts'

const maxKept = 1000

/**
 * Totals of lists. Counting costs time in proportion to the table, a page of it does not; so a total is kept until
 * one of the tables it depends on is written.
 */
export class CountCache {
  readonly #db: Database
  readonly #tables: readonly TableName[]
  readonly #totals = new Map<string, number>()
  #version = -1

  constructor(db: Database, tables: readonly TableName[]) {
    this.#db = db
    this.#tables = tables
  }

  /** The statement selects one row with a `total`. */
  total({ sql, parameters }: { sql: string; parameters: readonly unknown[] }): number {
    const version = this.#db.version(this.#tables)
    if (version !== this.#version || this.#totals.size >= maxKept) {
      this.#totals.clear()
      this.#version = version
    }
    const key = `${sql} ${JSON.stringify(parameters)}`
    let total = this.#totals.get(key)
    if (total === undefined) {
      total = (this.#db.statement(sql).get(parameters) as { total: number }).total
      this.#totals.set(key, total)
    }
    return total
  }
}
