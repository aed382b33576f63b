import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'

/** How long a piece of work may hold the event loop; milliseconds. Others wait for it, so it is far below what they notice. */
export const pieceMs = 5
const restMs = 2
/** Background work gets at least every fourth turn, however many requests are at work. */
const requestsInARow = 3

/** Says how much it did; 0 at the end of its work, undefined when it failed. */
type Piece = () => number | undefined

const isBackground = new AsyncLocalStorage<boolean>()
const requests: Piece[] = []
const background: Piece[] = []
let inARow = 0
let isTakingTurns = false
let lastRest = process.threadCpuUsage()

/** The pieces of this work, and of all it calls, come after those of requests. */
export const inBackground = <T>(work: () => T): T => isBackground.run(true, work)

/** Pieces of whatever work take turns: fifty works at once would hold the event loop fifty times as long as one. */
export function inTurn<Result extends { done: number }>(piece: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    const isOfBackground = isBackground.getStore() ?? false
    const line = isOfBackground ? background : requests
    line.push(() => {
      try {
        // In the context of its own work, not in that of the work which took the turn before.
        const result = isBackground.run(isOfBackground, piece)
        resolve(result)
        return result.done
      } catch (error) {
        reject(error)
      }
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
  const isForBackground = background.length > 0 && (requests.length === 0 || inARow >= requestsInARow)
  inARow = isForBackground || background.length === 0 ? 0 : inARow + 1
  return (isForBackground ? background : requests).shift()
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
