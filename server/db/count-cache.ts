import type { Steps } from '../lib/pieces.ts'
import { AnswerCache, type Asked } from './answer-cache.ts'
import type { Database, TableName } from './database.ts'

const maxTotals = 1000

/**
 * Totals of lists. Counting costs time in proportion to the table, a page of it does not; so a total is kept until
 * one of the tables it depends on is written.
 */
export class CountCache {
  readonly #db: Database
  readonly #totals: AnswerCache<number>

  constructor(db: Database, tables: readonly TableName[]) {
    this.#db = db
    this.#totals = new AnswerCache(db, tables, maxTotals)
  }

  /** The statement selects one row with a `total`. */
  total(asked: Asked): number {
    const count = () => this.#db.statement<{ total: number }>(asked.sql).get(asked.parameters)?.total ?? 0
    return this.#totals.answer(asked, count)
  }

  /** The same for what takes long; `count` does it otherwise, step by step. */
  counted(asked: Asked, count: () => Steps<number>): Steps<number> {
    return this.#totals.answered(asked, count)
  }
}
