import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { countInSlices } from '../../db/slices.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { Condition } from './condition.ts'
import { type DeviceQuery, dependsOn, type Page, type Slice } from './device-query.ts'
import { pageInSlices } from './page-scan.ts'
import type { Order } from './position.ts'

/** How many devices a list is about; kept until one of the tables behind it is written. */
export class DeviceTotals {
  readonly #db: Database
  readonly #totals: CountCache

  constructor(db: Database) {
    this.#db = db
    this.#totals = new CountCache(db, dependsOn)
  }

  all({ sql, parameters, index }: DeviceQuery): number {
    return this.#totals.total({ sql: `SELECT count(*) AS total FROM devices ${index} WHERE ${sql}`, parameters })
  }

  /** Counts no further than `limit`. */
  upTo({ sql, parameters, index }: DeviceQuery, limit: number): number {
    const some = `SELECT 1 FROM devices ${index} WHERE ${sql} LIMIT +?`
    return this.#totals.total({ sql: `SELECT count(*) AS total FROM (${some})`, parameters: [...parameters, limit] })
  }

  /** A page and the total, by looking at every device, some in a step. */
  *inSlices(wanted: Condition, order: Order, slice: Slice): Steps<Page> {
    const total = yield* this.#totals.counted(wanted, () => countInSlices(this.#db, 'devices', wanted))
    return { total, seqs: yield* pageInSlices(this.#db, wanted, order, slice) }
  }
}
