import type { Database } from '../../db/database.ts'
import { type Clock, iso, second } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'

interface KeyUse {
  count: number
  /** Milliseconds since 1970. */
  lastAt: number
}

const save = 'UPDATE api_keys SET usage_count = usage_count + ?, last_used_at = ? WHERE id = ?'

/** Counts uses of keys and saves them together, a second after the first: a call itself does not write. */
export class KeyUses {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #unsaved = new Map<string, KeyUse>()
  #timer: NodeJS.Timeout | null = null

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  count(keyId: string): void {
    const { count } = this.unsavedOf(keyId)
    this.#unsaved.set(keyId, { count: count + 1, lastAt: this.#clock.now() })
    this.#timer ??= setTimeout(() => this.flush(), second)
  }

  /** The uses that the row does not contain yet. */
  unsavedOf(keyId: string): { count: number; lastAt: number | null } {
    return this.#unsaved.get(keyId) ?? { count: 0, lastAt: null }
  }

  /** Drops the unsaved uses of a key that is rotated: it starts from zero. */
  forget(keyId: string): void {
    this.#unsaved.delete(keyId)
  }

  /** Saves what was counted; also called when the appliance stops. After a failure the counts stay for the next time. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#unsaved.size === 0) return
    try {
      this.#db.transaction(() => {
        for (const [id, { count, lastAt }] of this.#unsaved) this.#db.statement(save).run(count, iso(lastAt), id)
      })
      this.#unsaved.clear()
    } catch (error) {
      this.#log.error({ err: error }, 'The uses of API keys could not be saved')
    }
  }
}
