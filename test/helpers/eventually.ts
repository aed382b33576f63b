import { vi } from 'vitest'

/** Waits for what must come to be true, as long as a busy machine may need. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 25 })
