import type { Clock } from './clock.ts'

/** When devices said something of their work last, by the clock that nobody sets. In memory: a restart begins anew. */
export class LastHeard {
  readonly #clock: Clock
  readonly #at = new Map<string, number>()
  readonly #startedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.monotonic()
  }

  /** Its device has, or was given, something to say. */
  note(id: string): void {
    this.#at.set(id, this.#clock.monotonic())
  }

  /** Milliseconds in which nothing was heard; devices could say nothing before the appliance started. */
  silenceOf(id: string): number {
    return this.#clock.monotonic() - (this.#at.get(id) ?? this.#startedAt)
  }

  forget(id: string): void {
    this.#at.delete(id)
  }
}
