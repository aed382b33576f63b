export interface Backoff {
  firstMs: number
  capMs: number
}

/** The pause after so many failures in a row, 1 or more: doubles from `firstMs` up to `capMs`. */
export const backoffMs = (failures: number, { firstMs, capMs }: Backoff): number =>
  Math.min(capMs, firstMs * 2 ** (failures - 1))

/** Moved by a random share of at most ±`share`, at the cap too, so that many clients do not act in step. */
export const jittered = (ms: number, share: number, random: () => number = Math.random): number =>
  ms * (1 - share + 2 * share * random())
