import { cpuMsSince, inTurn, pieceMs } from './turns.ts'

/** Rows of the first piece: how much work one row is, is not known yet. */
const firstPieceRows = 20
const maxPieceRows = 5000

/** For work that nothing stops before it is done. */
export const untilDone: AbortSignal = new AbortController().signal

/**
 * Long work on many rows, done in pieces that leave the event loop free in between. `step` does at most `maxRows` rows in
 * one transaction and returns how many it did; 0 ends the work. The size of the pieces follows the CPU time they take,
 * not the time of the commit, which does not depend on the number of rows. Resolves with the total number of rows,
 * rejects when `signal` aborts: what was done stays done, so the work must be resumable.
 */
export async function inPieces(signal: AbortSignal, step: (maxRows: number) => number): Promise<number> {
  let size = firstPieceRows
  let total = 0
  for (;;) {
    const { done, cpuMs } = await inTurn(() => {
      signal.throwIfAborted()
      const before = process.threadCpuUsage()
      return { done: step(size), cpuMs: cpuMsSince(before) }
    })
    if (done === 0) return total
    total += done
    size = Math.round(Math.min(maxPieceRows, size * 2, Math.max(1, pieceMs / Math.max(cpuMs / done, 0.0001))))
  }
}

/** Work that says with each `yield` that others may get their turn there; a few milliseconds of work at most lie between. */
export type Steps<Result> = Generator<void, Result>

/**
 * Goes through such work for a few milliseconds at a time, whatever a step takes. Rejects when `signal` aborts, and the
 * work then ends where it is.
 */
export async function inSteps<Result>(signal: AbortSignal, steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = await inTurn(() => {
      signal.throwIfAborted()
      return goThrough(steps)
    })
    if (step.isOver) return step.result
  }
}

/**
 * The same for work that is mostly short: done at once, and what is not over after a few milliseconds is left to `goOn`,
 * which has it gone on with.
 */
export function beginSteps<Result>(
  steps: Steps<Result>,
  goOn: (steps: Steps<Result>) => Promise<Result>,
): Result | Promise<Result> {
  const begun = goThrough(steps)
  return begun.isOver ? begun.result : goOn(steps)
}

/** `done` is 0 at the end, as of pieces. */
function goThrough<Result>(
  steps: Steps<Result>,
): { done: 0; isOver: true; result: Result } | { done: 1; isOver: false } {
  const until = performance.now() + pieceMs
  do {
    const step = steps.next()
    if (step.done) return { done: 0, isOver: true, result: step.value }
  } while (performance.now() < until)
  return { done: 1, isOver: false }
}

/** Rows read together. Each may be a hundred kilobytes of JSON. */
const rowsPerRead = 20

/** Rows of a list as `view` shows them: made one by one, for one may take as long as a thousand others. */
export function* shownInSteps<Key, Row, Shown>(
  keys: readonly Key[],
  read: (some: readonly Key[]) => readonly Row[],
  view: (row: Row) => Shown,
): Steps<Shown[]> {
  const shown: Shown[] = []
  for (let at = 0; at < keys.length; at += rowsPerRead)
    for (const row of read(keys.slice(at, at + rowsPerRead))) {
      shown.push(view(row))
      yield
    }
  return shown
}

/** Fewer items than this are made at once. */
const minItemsForPieces = 250

/** What `make` makes of many items, in their order, done in pieces as above. */
export async function madeInPieces<Item, Made>(
  items: readonly Item[],
  make: (some: readonly Item[]) => Made[],
): Promise<Made[]> {
  if (items.length <= minItemsForPieces) return make(items)
  const made: Made[] = []
  let at = 0
  await inPieces(untilDone, (maxItems) => {
    if (at === items.length) return 0
    const some = items.slice(at, at + maxItems)
    at += some.length
    for (const one of make(some)) made.push(one)
    return some.length
  })
  return made
}

/** A single piece of work whose pace somebody else sets, such as the reader of a file that is written meanwhile. */
export async function onePiece<T>(piece: () => T): Promise<T> {
  const { result } = await inTurn(() => ({ done: 1, result: piece() }))
  return result
}
