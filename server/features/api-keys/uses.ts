import type { Database } from '../../db/database.ts'
import { type Clock, iso, second } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'

interface Use {
  count: number
  lastAt: number
}

const save = 'UPDATE api_keys SET usage_count = usage_count + ?, last_used_at = ? WHERE id = ?'

/** How often and when keys were used. Saved together, a second after the first of them: a call itself writes nothing. */
export class KeyUses {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #unsaved = new Map<string, Use>()
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

  /** What a reader of the row has to add to it. */
  unsavedOf(keyId: string): { count: number; lastAt: number | null } {
    return this.#unsaved.get(keyId) ?? { count: 0, lastAt: null }
  }

  /** A rotated key begins anew. */
  forget(keyId: string): void {
    this.#unsaved.delete(keyId)
  }

  /** Also when the appliance stops. What can not be saved is kept for the next time. */
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
