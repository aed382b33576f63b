import { type Clock, hour, minute, second } from './clock.ts'
import type { Log } from './log.ts'

/** How long to leave alone what has failed so many times: five seconds, twice as long each time, an hour at most. */
export const retryPauseMs = (failures: number): number => Math.min(hour, 5 * second * 2 ** (failures - 1))

/** Does what is due when it is woken, then sleeps until the next thing is; never twice at once. */
export class DueWork {
  readonly #clock: Clock
  readonly #log: Log
  readonly #doDue: () => void | Promise<void>
  readonly #nextDueAt: () => string | null
  #timer: NodeJS.Timeout | null = null
  #underWay: Promise<void> | null = null
  #isStopped = true
  #isWoken = false

  /** `nextDueAt` says when something will be due if nobody wakes it before; null for not that it knew. */
  constructor(clock: Clock, log: Log, doDue: () => void | Promise<void>, nextDueAt: () => string | null) {
    this.#clock = clock
    this.#log = log
    this.#doDue = doDue
    this.#nextDueAt = nextDueAt
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  start(): void {
    this.#isStopped = false
    this.wake()
  }

  /** Waits for what is under way; a long piece of work should look at `isStopped`. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#underWay
  }

  wake(): void {
    this.#isWoken = true
    this.#sleep(0)
  }

  #sleep(ms: number): void {
    if (this.#isStopped) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#underWay ??= this.#run().then((pauseMs) => {
        this.#underWay = null
        // Whoever woke it meanwhile may have come too late for this run.
        this.#sleep(this.#isWoken ? 0 : pauseMs)
      })
    }, ms)
  }

  /** Milliseconds until it should run again. */
  async #run(): Promise<number> {
    this.#isWoken = false
    try {
      await this.#doDue()
      const next = this.#nextDueAt()
      // Another process, such as the administration shell, may bring work and can not wake it.
      if (next === null) return minute
      // No shorter, lest what can not be done keeps it busy; no longer, because clocks get set.
      return Math.min(hour, Math.max(100, Date.parse(next) - this.#clock.now()))
    } catch (error) {
      this.#log.error({ err: error }, 'What is due could not be done')
      return minute
    }
  }
}
