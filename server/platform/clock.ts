/** Time as the rest of the server sees it, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970; may jump when the clock of the machine is set. */
  now(): number
  /** Milliseconds since some start; never jumps. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

export const iso = (ms: number): string => new Date(ms).toISOString()
export const isoNow = (clock: Clock): string => iso(clock.now())

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
