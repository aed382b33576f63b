import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import { growingCache } from '../lib/growing-cache.ts'
import type { Steps } from '../lib/pieces.ts'
import type { Database, TableName } from './database.ts'

/** What a query is: its text and its parameters. */
export interface Asked {
  sql: string
  parameters: readonly unknown[]
}

/** Keeps what queries answered until one of the tables they depend on is written. */
export class AnswerCache<Answer extends NonNullable<unknown>> {
  readonly #db: Database
  readonly #tables: readonly TableName[]
  readonly #answers: LRUCache<string, Answer>
  #version = -1

  constructor(db: Database, tables: readonly TableName[], max: number) {
    db.watch(tables)
    this.#db = db
    this.#tables = tables
    this.#answers = growingCache<Answer>(max)
  }

  answer(asked: Asked, ask: () => Answer): Answer {
    const key = this.#keyOf(asked)
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = ask()
    this.#answers.set(key, answer)
    return answer
  }

  /** The same for what takes long and is done step by step; what is written meanwhile makes the answer an old one. */
  *answered(asked: Asked, ask: () => Steps<Answer>): Steps<Answer> {
    const key = this.#keyOf(asked)
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const version = this.#version
    const answer = yield* ask()
    if (this.#db.version(this.#tables) === version) this.#answers.set(key, answer)
    return answer
  }

  #keyOf({ sql, parameters }: Asked): string {
    const version = this.#db.version(this.#tables)
    if (version !== this.#version) {
      this.#answers.clear()
      this.#version = version
    }
    const key = `${sql} ${JSON.stringify(parameters)}`
    // A parameter may be a list of ten thousand ids.
    return key.length > 2000 ? hash('sha256', key) : key
  }
}
