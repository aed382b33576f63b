import { type Clock, minute } from './clock.ts'
import type { Log } from './log.ts'

/** A long piece of work should end when `stopping` aborts. */
type DoDue = (stopping: AbortSignal) => void | Promise<void>

/** Does what is due when it is woken, then sleeps until the next thing is; never twice at once. */
export class DueWork {
  readonly #clock: Clock
  readonly #log: Log
  readonly #doDue: DoDue
  readonly #nextDueAt: () => string | null
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #underWay: Promise<void> | null = null
  #stopping: AbortController | null = null
  #isWoken = false

  /** `nextDueAt` is when something will be due without another wake-up; null when nothing is planned. */
  constructor(clock: Clock, log: Log, doDue: DoDue, nextDueAt: () => string | null) {
    this.#clock = clock
    this.#log = log
    this.#doDue = doDue
    this.#nextDueAt = nextDueAt
  }

  start(): void {
    this.#stopping ??= new AbortController()
    this.wake()
  }

  /** Waits for the work under way. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#stopping = null
    this.#unset()
    await this.#underWay
  }

  wake(): void {
    this.#isWoken = true
    this.#sleep(0)
  }

  #sleep(ms: number): void {
    if (!this.#stopping) return
    const { signal } = this.#stopping
    this.#unset()
    const run = () => {
      this.#underWay ??= this.#run(signal).then((pauseMs) => {
        this.#underWay = null
        // Work added during the run may have been missed by it.
        this.#sleep(this.#isWoken ? 0 : pauseMs)
      })
    }
    // A timer of 0 ms takes 1 ms, which somebody waits for, such as the sender of a command.
    if (ms === 0) this.#immediate = setImmediate(run)
    else this.#timer = setTimeout(run, ms)
  }

  #unset(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
  }

  /** Milliseconds until it should run again. */
  async #run(stopping: AbortSignal): Promise<number> {
    this.#isWoken = false
    try {
      await this.#doDue(stopping)
      const next = this.#nextDueAt()
      if (next === null) return minute
      // At least 100 ms, so that work that fails does not spin. At most a minute, because clocks get set and because
      // another process, such as the administration shell, may add work and cannot wake this one.
      return Math.min(minute, Math.max(100, Date.parse(next) - this.#clock.now()))
    } catch (error) {
      if (!stopping.aborted) this.#log.error({ err: error }, 'What is due could not be done')
      return minute
    }
  }
}
