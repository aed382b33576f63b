import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Clock } from './clock.ts'

/** How long a piece may hold the event loop; milliseconds. Others wait for it, so it is far below what they notice. */
const pieceMs = 5
const restMs = 2
const fewest = 10
const most = 5000

/**
 * Long work on many rows, done in pieces that leave the event loop free in between. `step` does at most so many rows in
 * one transaction and tells how many it did; 0 ends the work. Pieces grow and shrink with the time they take. Resolves
 * with the number of rows, rejects when `signal` aborts: what was done stays done, so the work must bear to be resumed.
 */
export async function inPieces(
  clock: Pick<Clock, 'monotonic'>,
  signal: AbortSignal,
  step: (most: number) => number,
): Promise<number> {
  let size = 100
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const started = clock.monotonic()
    const done = step(size)
    if (done === 0) return total
    total += done
    const perRow = (clock.monotonic() - started) / done
    size = Math.round(Math.min(most, size * 2, Math.max(fewest, pieceMs / Math.max(perRow, 0.0001))))
    await setImmediate()
    await setTimeout(restMs)
  }
}
