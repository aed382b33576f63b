import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newPositions, type Positioned, unpositioned } from './display-positions.ts'

const inOrder = (things: readonly Positioned[]) =>
  things.toSorted((a, b) => a.position - b.position).map(({ id }) => id)
const named = (positions: readonly number[]): Positioned[] =>
  positions.map((position, at) => ({ id: `${at}`, position }))

function apply(wanted: readonly Positioned[]): Positioned[] {
  const changes = new Map(newPositions(wanted).map(({ id, position }) => [id, position]))
  return wanted.map(({ id, position }) => ({ id, position: changes.get(id) ?? position }))
}

test('for any old positions, the new ones are unique and sort the entries in the wanted order', () => {
  const position = fc.oneof(fc.integer({ min: -3, max: 9 }), fc.maxSafeInteger(), fc.constant(unpositioned))
  fc.assert(
    fc.property(fc.array(position), (positions) => {
      const wanted = named(positions)
      const after = apply(wanted)
      expect(inOrder(after)).toEqual(wanted.map(({ id }) => id))
      expect(new Set(after.map((one) => one.position)).size).toBe(wanted.length)
      expect(after.every((one) => Number.isSafeInteger(one.position) && one.position < unpositioned)).toBe(true)
    }),
  )
})

test('moving one entry changes at most one position', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), fc.nat(), (size, from, to) => {
      const things = apply(named(Array(size).fill(unpositioned)))
      expect(newPositions(things)).toEqual([])
      const [moved] = things.splice(from % size, 1) as [Positioned]
      things.splice(to % size, 0, moved)
      expect(newPositions(things).length).toBeLessThanOrEqual(1)
    }),
  )
})

test('after each of 200 moves back and forth the entries are in the wanted order', () => {
  let things = apply(named(Array(5).fill(unpositioned)))
  for (let turn = 0; turn < 200; turn++) {
    const [first, second, third, ...rest] = things as [Positioned, Positioned, Positioned]
    things = apply(turn % 2 ? [first, third, second, ...rest] : [third, first, second, ...rest])
    expect(inOrder(things)).toEqual(things.map(({ id }) => id))
  }
})
