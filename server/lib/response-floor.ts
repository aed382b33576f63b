import { setTimeout as sleep } from 'node:timers/promises'

/** Runs the work and holds the answer, good or bad, until `ms` have passed. */
export async function notBefore<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    await sleep(Math.max(0, ms - (performance.now() - startedAt)))
  }
}
