import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortedInSteps } from './sorting.ts'

const through = <Result>(steps: Generator<void, Result>): { result: Result; pauses: number } => {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done) return { result: step.value, pauses }
  }
}
const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key

test('sortedInSteps gives the same result as toSorted, equal items in their order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 9973 }), (count, factor) => {
      const items = Array.from({ length: count }, (_, n) => ({ n, key: (n * factor) % 997 }))
      expect(through(sortedInSteps(items, byKey)).result).toEqual(items.toSorted(byKey))
    }),
    { numRuns: 30 },
  )
})

test('sortedInSteps pauses regularly and leaves its input unchanged', () => {
  const items = Array.from({ length: 10_000 }, (_, n) => ({ key: -n }))
  const { result, pauses } = through(sortedInSteps(items, byKey))
  expect([result[0], items[0], pauses > 30]).toEqual([{ key: -9999 }, { key: -0 }, true])
})
