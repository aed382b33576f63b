/** Runs work so that no more than `limit` of it is under way; the rest waits in the order it came. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let underWay = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (underWay >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay++
    try {
      return await work()
    } finally {
      // The place goes to the next in line, or is given up.
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}
