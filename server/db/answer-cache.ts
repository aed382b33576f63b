import { hash } from 'node:crypto'
import type { Steps } from '../lib/pieces.ts'
import type { Database, TableName } from './database.ts'
import { TableCache } from './table-cache.ts'

/** What a query is: its text and its parameters. */
export interface Asked {
  sql: string
  parameters: readonly unknown[]
}

/** Keeps what queries answered until one of the tables they depend on is written. */
export class AnswerCache<Answer extends NonNullable<unknown>> {
  readonly #answers: TableCache<Answer>

  constructor(db: Database, tables: readonly TableName[], max: number) {
    this.#answers = new TableCache(db, tables, max)
  }

  answer(asked: Asked, ask: () => Answer): Answer {
    return this.#answers.get(keyOf(asked), ask)
  }

  /** The same for what takes long and is done step by step. */
  answered(asked: Asked, ask: () => Steps<Answer>): Steps<Answer> {
    return this.#answers.getInSteps(keyOf(asked), ask)
  }
}

function keyOf({ sql, parameters }: Asked): string {
  const key = `${sql} ${JSON.stringify(parameters)}`
  // A parameter may be a list of ten thousand ids.
  return key.length > 2000 ? hash('sha256', key) : key
}
