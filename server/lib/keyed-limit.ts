import pLimit, { type LimitFunction } from 'p-limit'

/** Runs no more than `concurrency` pieces of work of one key at once; the rest of that key waits in the order it came. */
export class KeyedLimit {
  readonly #concurrency: number
  readonly #lines = new Map<string, LimitFunction>()

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** Keys that have work under way or waiting. */
  get size(): number {
    return this.#lines.size
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? pLimit(this.#concurrency)
    this.#lines.set(key, line)
    return line(async () => {
      try {
        return await work()
      } finally {
        // The work that just ended still counts as active.
        if (line.activeCount + line.pendingCount <= 1) this.#lines.delete(key)
      }
    })
  }
}
