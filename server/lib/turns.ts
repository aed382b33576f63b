import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'

/** How long a piece of work may hold the event loop; milliseconds. Others wait for it, so it is far below what they notice. */
export const pieceMs = 5
const restMs = 2
/** Background work gets at least every fourth turn, however many requests are at work, and at most every second one. */
const requestsInARow = 3

/** Says how much it did; 0 at the end of its work, undefined when it failed. */
type Piece = () => number | undefined

interface Waiting {
  piece: Piece
  /** Grows with each piece that begins to wait. */
  arrival: number
}

const isBackground = new AsyncLocalStorage<boolean>()
const requests: Waiting[] = []
const background: Waiting[] = []
let arrivals = 0
let inARow = 0
let wasBackground = false
let isTakingTurns = false
let lastRest = process.threadCpuUsage()

/** All such work together, and what it calls, takes turns with requests as if it were one more of them. */
export const inBackground = <T>(work: () => T): T => isBackground.run(true, work)

/** Pieces of whatever work take turns: fifty works at once would hold the event loop fifty times as long as one. */
export function inTurn<Result extends { done: number }>(piece: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    const isOfBackground = isBackground.getStore() ?? false
    const line = isOfBackground ? background : requests
    line.push({
      arrival: arrivals++,
      piece: () => {
        try {
          // In the context of its own work, not in that of the work which took the turn before.
          const result = isBackground.run(isOfBackground, piece)
          resolve(result)
          return result.done
        } catch (error) {
          reject(error)
        }
      },
    })
    if (!isTakingTurns) void takeTurns()
  })
}

async function takeTurns(): Promise<void> {
  isTakingTurns = true
  await Promise.resolve()
  for (let piece = next(); piece; piece = next()) {
    const done = piece()
    // The last piece of a work is usually short, but a thousand of them together are not.
    if (done === 0 && cpuMsSince(lastRest) < pieceMs) await Promise.resolve()
    else await rest()
  }
  isTakingTurns = false
}

function next(): Piece | undefined {
  wasBackground = isForBackground()
  inARow = wasBackground || background.length === 0 ? 0 : inARow + 1
  return (wasBackground ? background : requests).shift()?.piece
}

/** What has waited longest goes first, within the bounds above. */
function isForBackground(): boolean {
  const [request] = requests
  const [work] = background
  if (!request || !work) return work !== undefined
  return !wasBackground && (inARow >= requestsInARow || work.arrival < request.arrival)
}

async function rest(): Promise<void> {
  await setImmediate()
  await setTimeout(restMs)
  lastRest = process.threadCpuUsage()
}

/** Time this thread has worked since then; waiting for the disk does not count. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
