import { expect, test } from 'vitest'
import { comparedInOrder, usualComparison } from './comparison.ts'

const taken = (day: number) => ({ id: `on ${day}`, createdAt: `2026-11-${day}T12:00:00.000Z` })

test('a snapshot is compared with the one before; the first with the next', () => {
  expect(usualComparison(taken(20), [taken(24), taken(21), taken(19), taken(18)])?.id).toBe('on 19')
  expect(usualComparison(taken(18), [taken(24), taken(21), taken(19)])?.id).toBe('on 19')
  expect(usualComparison(taken(18), [])).toBeUndefined()
})

test('changes go from the older snapshot to the newer one, whichever was chosen first', () => {
  expect(comparedInOrder(taken(20), taken(18))).toEqual([taken(18), taken(20)])
  expect(comparedInOrder(taken(18), taken(20))).toEqual([taken(18), taken(20)])
})
