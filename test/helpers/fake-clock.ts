import type { Clock } from '../../server/platform/clock.ts'

/** Time that stands until it is told to move. */
export class FakeClock implements Clock {
  #now = Date.parse('2026-03-01T09:00:00.000Z')
  #monotonic = 1_000_000

  now = (): number => this.#now
  monotonic = (): number => this.#monotonic

  advance(ms: number): void {
    this.#now += ms
    this.#monotonic += ms
  }

  /** The clock of the machine is set: the wall clock jumps, real time does not. */
  jump(ms: number): void {
    this.#now += ms
  }
}
