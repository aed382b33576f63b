import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasMoreValues, isDeeperThan, lookForMoreValues, valuesIn } from './json-size.ts'

/** How many signs `,`, `[` and `{` the JSON text of a value has outside of its texts. */
function signsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return 1 + Math.max(0, inner.length - 1) + inner.reduce((sum: number, one) => sum + signsIn(one), 0)
}

test('values are counted at any depth, and separators inside texts are not', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value, null, 1)
      const count = signsIn(value)
      expect([hasMoreValues(text, count), hasMoreValues(text, count - 1)]).toEqual([false, true])
    }),
  )
  expect(hasMoreValues(JSON.stringify({ log: ',[{"\\'.repeat(1000) }), 1)).toBe(false)
})

test('a list of ten thousand ids is within the value limit of an ordinary body, and a body of empty lists is not', () => {
  const ids = Array.from({ length: 10_000 }, () => '7d0e0c1c-3f5e-4b5e-9a57-1a2b3c4d5e6f')
  const most = valuesIn(1024 * 1024)
  expect(hasMoreValues(JSON.stringify({ ids, others: ids }), most)).toBe(false)
  expect(hasMoreValues(`[${'[],'.repeat(300_000)}[]]`, most)).toBe(true)
})

test('a text of a megabyte is scanned with pauses', () => {
  const steps = lookForMoreValues(JSON.stringify({ log: ','.repeat(1_000_000) }), 10)
  let pauses = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) pauses++
  expect([step.value, pauses > 5]).toEqual([false, true])
})

test('the depth of a value is that of its deepest part', () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? 1 : depth % 2 ? [0, nested(depth - 1)] : { a: nested(depth - 1) }
  expect([isDeeperThan(3, nested(3)), isDeeperThan(3, nested(4))]).toEqual([false, true])
})
