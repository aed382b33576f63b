import { expect, test } from 'vitest'
import { inPieces, inSteps, madeInPieces, type Steps, shownInSteps } from './pieces.ts'

const forever = new AbortController().signal

/** Keeps the thread busy, as a statement does. */
function work(ms: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= ms * 1000) return
  }
}

/** Keeps the event loop waiting without work, as a commit does on a slow disk. */
const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

async function sizesOf(rows: number, step: (done: number) => void): Promise<number[]> {
  const sizes: number[] = []
  let left = rows
  const total = await inPieces(forever, (most) => {
    const done = Math.min(most, left)
    if (done > 0) sizes.push(done)
    left -= done
    step(done)
    return done
  })
  expect(total).toBe(rows)
  return sizes
}

test('pieces shrink where a row takes long', async () => {
  const sizes = await sizesOf(200, (rows) => work(rows * 0.2))
  expect(Math.max(...sizes.slice(1))).toBeLessThan(60)
})

test('rows that take much longer than those before become pieces of their own', async () => {
  const sizes = await sizesOf(60, (rows) => work(rows * 8))
  expect(sizes.slice(2)).toEqual(Array(sizes.length - 2).fill(1))
})

test('pieces grow where rows are quick, however long the disk takes over each piece', async () => {
  const sizes = await sizesOf(3000, () => wait(10))
  expect(sizes.slice(0, 4)).toEqual([20, 40, 80, 160])
})

test('concurrent works take turns, so that the event loop is free between any two pieces', async () => {
  let since = 0
  const mayHold: number[] = []
  const works = Array.from({ length: 20 }, () => {
    let left = 3
    return inPieces(forever, () => {
      if (left-- === 0) return 0
      mayHold.push(++since)
      return 1
    })
  })
  const beat = setInterval(() => {
    since = 0
  }, 0)
  await Promise.all(works)
  clearInterval(beat)
  expect(mayHold).toHaveLength(20 * 3)
  expect(Math.max(...mayHold)).toBeLessThan(5)
})

test('many small works, each done with its first piece, leave the event loop free, too', async () => {
  let since = 0
  let longest = 0
  const beat = setInterval(() => {
    since = 0
  }, 0)
  for (let n = 0; n < 100; n++)
    await inPieces(forever, () => {
      work(1)
      longest = Math.max(longest, ++since)
      return 0
    })
  clearInterval(beat)
  expect(longest).toBeLessThan(50)
})

test('a failing work lets the others go on', async () => {
  const failing = inPieces(forever, () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await sizesOf(140, () => {})).toEqual([20, 40, 80])
})

test('an abort ends the work between two pieces', async () => {
  const stop = new AbortController()
  let pieces = 0
  const working = inPieces(stop.signal, () => {
    if (++pieces === 3) stop.abort()
    return 1
  })
  await expect(working).rejects.toThrow('aborted')
  expect(pieces).toBe(3)
})

test('results that are made in pieces are complete and in order, also where items have no result', async () => {
  const items = Array.from({ length: 3000 }, (_, n) => n)
  const sizes: number[] = []
  const made = await madeInPieces(items, (some) => {
    sizes.push(some.length)
    return some.filter((n) => n % 3 > 0).map(String)
  })
  expect(made).toEqual(items.filter((n) => n % 3 > 0).map(String))
  expect(sizes.length).toBeGreaterThan(3)
})

test('few items are processed at once, without waiting for other work', async () => {
  const stop = new AbortController()
  const other = inPieces(stop.signal, () => 1)
  let isLater = false
  setImmediate(() => {
    isLater = true
  })
  expect(await madeInPieces([1, 2], (some) => some.toReversed())).toEqual([2, 1])
  expect(isLater).toBe(false)
  stop.abort()
  await expect(other).rejects.toThrow('aborted')
})

/** `count` steps that take `ms` milliseconds each. */
function* stepsOf(count: number, ms: number, done: (step: number) => void): Steps<string> {
  for (let step = 1; step <= count; step++) {
    const until = performance.now() + ms
    while (performance.now() < until);
    done(step)
    yield
  }
  return 'done'
}

test('steps leave the event loop free every few milliseconds, whether they are long or short', async () => {
  for (const [count, ms] of [
    [20, 8],
    [2000, 0.05],
  ] as const) {
    let since = 0
    let longest = 0
    const beat = setInterval(() => {
      since = 0
    }, 0)
    const result = await inSteps(
      forever,
      stepsOf(count, ms, () => {
        longest = Math.max(longest, ++since)
      }),
    )
    clearInterval(beat)
    expect(result).toBe('done')
    // Twice what fits into a turn: two of them may follow each other.
    expect(longest * ms).toBeLessThan(30)
  }
})

test('a few short steps run in one turn of the event loop', async () => {
  let isLater = false
  setTimeout(() => {
    isLater = true
  }, 0)
  await inSteps(
    forever,
    stepsOf(3, 0, () => {}),
  )
  expect(isLater).toBe(false)
})

test('an abort stops between steps, and an error in a step rejects the work', async () => {
  const stop = new AbortController()
  let last = 0
  const working = inSteps(
    stop.signal,
    stepsOf(1000, 1, (step) => {
      last = step
      if (step === 3) stop.abort()
    }),
  )
  await expect(working).rejects.toThrow('aborted')
  expect(last).toBeLessThan(20)
  const failing = (function* (): Steps<void> {
    yield
    throw new Error('no')
  })()
  await expect(inSteps(forever, failing)).rejects.toThrow('no')
})

test('rows of a list are read 20 at a time, and shown one by one with a pause behind each', () => {
  const sizes: number[] = []
  const read = (some: readonly number[]) => {
    sizes.push(some.length)
    return some.filter((n) => n !== 3)
  }
  const steps = shownInSteps([...Array(50).keys()], read, (n) => `${n}`)
  let pauses = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) pauses++
  expect([sizes, pauses]).toEqual([[20, 20, 10], 49])
  expect(step.value).toEqual([...Array(50).keys()].filter((n) => n !== 3).map(String))
})
