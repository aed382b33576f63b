import type { LRUCache } from 'lru-cache'
import type { ErrorCode } from '../../shared/errors/index.ts'
import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { growingCache } from '../lib/growing-cache.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Limit } from '../lib/limit.ts'
import type { LimitOverrides } from '../limits.ts'
import { defaultLimits, type LimitName } from '../limits.ts'
import type { Clock } from './clock.ts'
import { AppError, rateLimited } from './errors.ts'

/** Callers can make up keys, so their number has a limit. */
const maxRemembered = 300_000

/** Windows, one per limit and key, sliding unless they are fixed. Durable ones live in the database, the others in memory. */
export class RateLimits {
  readonly #db: Database
  readonly #clock: Clock
  readonly #limits: Record<LimitName, Limit>
  readonly #memory: LRUCache<string, number[]>

  constructor(db: Database, clock: Clock, overrides: LimitOverrides = {}) {
    this.#db = db
    this.#clock = clock
    this.#limits = { ...defaultLimits, ...overrides }
    // The time to live of each entry is its window.
    this.#memory = growingCache(maxRemembered, { ttlResolution: 0, perf: { now: () => clock.monotonic() } })
  }

  /** Counts one use; refuses with `code` when the window is full. */
  consume(name: LimitName, key: string, code: ErrorCode = 'rate_limited'): void {
    const wait = this.retryAfterMs(name, key)
    if (wait > 0) throw rateLimited(code, wait)
    this.count(name, key)
  }

  /** Milliseconds until there is room again; 0 when there is. */
  retryAfterMs(name: LimitName, key: string): number {
    const limit = this.#limits[name]
    if (limit.max === 0) return 0
    const now = this.#now(limit)
    const hits = this.#hits(name, key, limit, now)
    return hits.length < limit.max
      ? 0
      : Math.max(1, (hits[hits.length - limit.max] ?? now) + limit.windowSeconds * 1000 - now)
  }

  /** Uses in a window; 0 when the limit is off. */
  maxOf(name: LimitName): number {
    return this.#limits[name].max
  }

  /** Counts one use whether or not there is room; tells how many the window holds now. */
  count(name: LimitName, key: string): number {
    const limit = this.#limits[name]
    if (limit.max === 0) return 0
    const now = this.#now(limit)
    const hits = [...this.#hits(name, key, limit, now).slice(-limit.max), now]
    if (limit.isDurable) this.#save(name, key, hits, now + limit.windowSeconds * 1000)
    else this.#remember(`${name} ${key}`, hits, limit)
    return hits.length
  }

  /** Takes back the oldest use, so that the remaining ones expire as if it had not been counted. */
  giveBack(name: LimitName, key: string): void {
    const limit = this.#limits[name]
    const [, ...left] = this.#hits(name, key, limit, this.#now(limit))
    const last = left.at(-1)
    if (last === undefined) this.clear(name, key)
    else if (limit.isDurable) this.#save(name, key, left, last + limit.windowSeconds * 1000)
    else this.#remember(`${name} ${key}`, left, limit)
  }

  #remember(entry: string, hits: number[], { windowSeconds }: Limit): void {
    this.#memory.set(entry, hits, { ttl: windowSeconds * 1000 })
  }

  clear(name: LimitName, key: string): void {
    if (this.#limits[name].isDurable)
      orUnavailable(() => this.#db.run(q.deleteFrom('rate_limits').where('bucket', '=', name).where('key', '=', key)))
    else this.#memory.delete(`${name} ${key}`)
  }

  /** Forgets windows that have passed; a job calls it. */
  prune(): void {
    this.#db.run(q.deleteFrom('rate_limits').where('expires_at', '<', this.#clock.now()))
    this.#memory.purgeStale()
  }

  // In memory the monotonic clock counts, so that setting the machine's clock neither locks out nor lets in.
  #now(limit: Limit): number {
    return limit.isDurable ? this.#clock.now() : this.#clock.monotonic()
  }

  #hits(name: LimitName, key: string, limit: Limit, now: number): number[] {
    const since = now - limit.windowSeconds * 1000
    if (!limit.isDurable) return (this.#memory.get(`${name} ${key}`) ?? []).filter((at) => at > since)
    const row = orUnavailable(() =>
      this.#db.first(q.selectFrom('rate_limits').select('hits').where('bucket', '=', name).where('key', '=', key)),
    )
    // A hit from the future means the clock was set back: it counts as just now.
    const hits = row ? fromJson(row.hits).map((at) => Math.min(at, now)) : []
    if (limit.isFixed) return (hits[0] ?? 0) > since ? hits : []
    return hits.filter((at) => at > since)
  }

  #save(bucket: string, key: string, hits: number[], expiresAt: number): void {
    const values = { hits: toJson(hits), expires_at: expiresAt }
    orUnavailable(() =>
      this.#db.run(
        q
          .insertInto('rate_limits')
          .values({ bucket, key, ...values })
          .onConflict((conflict) => conflict.columns(['bucket', 'key']).doUpdateSet(values)),
      ),
    )
  }
}

/** A call that cannot be counted is refused. */
function orUnavailable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new AppError('unavailable', {}, { cause: error })
  }
}
