import type { LRUCache } from 'lru-cache'
import { growingCache } from '../lib/growing-cache.ts'
import type { Steps } from '../lib/pieces.ts'
import type { Database, TableName } from './database.ts'

/** Answers that hold until one of the tables they were read from is written. */
export class TableCache<Value extends {}> {
  readonly #db: Database
  readonly #tables: readonly TableName[]
  readonly #entries: LRUCache<string, Value>
  #version = -1

  constructor(db: Database, tables: readonly TableName[], maxEntries: number) {
    db.watch(tables)
    this.#db = db
    this.#tables = tables
    this.#entries = growingCache(maxEntries)
  }

  /** The answer that is known, or the one `find` gives now; that there is none is not remembered. */
  get<Found extends Value | undefined>(key: string, find: () => Found): Value | Found {
    const known = this.#known(key)
    if (known !== undefined) return known
    const found = find()
    if (found !== undefined) this.#entries.set(key, found)
    return found
  }

  /** The same for what is found step by step; what is written meanwhile makes the answer an old one. */
  *getInSteps(key: string, find: () => Steps<Value>): Steps<Value> {
    const known = this.#known(key)
    if (known !== undefined) return known
    const version = this.#version
    const found = yield* find()
    if (this.#db.version(this.#tables) === version) this.#entries.set(key, found)
    return found
  }

  #known(key: string): Value | undefined {
    const version = this.#db.version(this.#tables)
    if (version !== this.#version) {
      this.#entries.clear()
      this.#version = version
    }
    return this.#entries.get(key)
  }
}
