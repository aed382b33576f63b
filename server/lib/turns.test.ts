import { expect, test } from 'vitest'
import { inPieces } from '../lib/pieces.ts'
import { inBackground } from './turns.ts'

/** Work of so many pieces that records each of its turns. */
function work(name: string, pieces: number, turns: string[]): Promise<number> {
  let left = pieces
  return inPieces(new AbortController().signal, () => {
    if (left === 0) return 0
    left--
    turns.push(name)
    return 1
  })
}

test('a request gets every second turn, however much background work there is', async () => {
  const turns: string[] = []
  const merges = Array.from({ length: 10 }, (_, n) => inBackground(() => work(`merge ${n}`, 20, turns)))
  await work('request', 12, turns)
  const others = turns.slice(0, turns.lastIndexOf('request')).filter((name) => name !== 'request')
  // One piece may have begun before the request; then one follows each piece of the request.
  expect(others.length).toBeLessThanOrEqual(1 + 12)
  await Promise.all(merges)
})

test('background work goes on in turns while requests never end', async () => {
  const turns: string[] = []
  const stop = new AbortController()
  const requests = Array.from({ length: 3 }, () =>
    inPieces(stop.signal, () => {
      turns.push('request')
      return 1
    }),
  )
  const backups = ['a', 'b'].map((name) => inBackground(() => work(name, 5, turns)))
  await Promise.all(backups)
  stop.abort()
  await Promise.allSettled(requests)
  expect(turns.filter((name) => name !== 'request')).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])
})

test('one request and one background work get equal turns', async () => {
  const turns: string[] = []
  await Promise.all([work('request', 5, turns), inBackground(() => work('merge', 5, turns))])
  expect(turns).toEqual(Array.from({ length: 10 }, (_, n) => (n % 2 ? 'merge' : 'request')))
})

test('background work gets every fourth turn among many requests', async () => {
  const turns: string[] = []
  const requests = Array.from({ length: 8 }, () => work('request', 3, turns))
  await Promise.all([...requests, inBackground(() => work('merge', 4, turns))])
  const merges = turns.flatMap((name, at) => (name === 'merge' ? [at] : []))
  expect(merges).toEqual([3, 7, 11, 15])
})

test('background work is recognized behind timers and promises', async () => {
  const turns: string[] = []
  const late = inBackground(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    return work('late', 3, turns)
  })
  const requests = Array.from({ length: 8 }, () => work('request', 3, turns))
  await Promise.all([...requests, late])
  const [first = 0, second = 0, third = 0] = turns.flatMap((name, at) => (name === 'late' ? [at] : []))
  expect([second - first, third - second]).toEqual([4, 4])
})

test('background work runs on without pauses for others once the requests are done', async () => {
  const turns: string[] = []
  await Promise.all([work('request', 1, turns), inBackground(() => work('merge', 3, turns))])
  expect(turns).toEqual(['request', 'merge', 'merge', 'merge'])
})
