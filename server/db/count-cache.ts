import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import { growingCache } from '../lib/growing-cache.ts'
import type { Steps } from '../lib/pieces.ts'
import type { Database, TableName } from './database.ts'

const maxTotals = 1000

interface Counting {
  sql: string
  parameters: readonly unknown[]
}

/**
 * Totals of lists. Counting costs time in proportion to the table, a page of it does not; so a total is kept until
 * one of the tables it depends on is written.
 */
export class CountCache {
  readonly #db: Database
  readonly #tables: readonly TableName[]
  readonly #totals: LRUCache<string, number> = growingCache(maxTotals)
  #version = -1

  constructor(db: Database, tables: readonly TableName[]) {
    db.watch(tables)
    this.#db = db
    this.#tables = tables
  }

  /** The statement selects one row with a `total`. */
  total(counting: Counting): number {
    const key = this.#keyOf(counting)
    const known = this.#totals.get(key)
    if (known !== undefined) return known
    const total = this.#db.statement<{ total: number }>(counting.sql).get(counting.parameters)?.total ?? 0
    this.#totals.set(key, total)
    return total
  }

  /** The same for what takes long; `count` does it otherwise, step by step. */
  *counted(counting: Counting, count: () => Steps<number>): Steps<number> {
    const key = this.#keyOf(counting)
    const known = this.#totals.get(key)
    if (known !== undefined) return known
    const version = this.#version
    const total = yield* count()
    if (this.#db.version(this.#tables) === version) this.#totals.set(key, total)
    return total
  }

  #keyOf({ sql, parameters }: Counting): string {
    const version = this.#db.version(this.#tables)
    if (version !== this.#version) {
      this.#totals.clear()
      this.#version = version
    }
    const key = `${sql} ${JSON.stringify(parameters)}`
    // A parameter may be a list of ten thousand ids.
    return key.length > 2000 ? hash('sha256', key) : key
  }
}
