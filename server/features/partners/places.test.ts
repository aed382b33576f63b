import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newPlaces, nowhere, type Placed } from './places.ts'

const inOrder = (things: readonly Placed[]) => things.toSorted((a, b) => a.place - b.place).map(({ id }) => id)
const named = (places: readonly number[]): Placed[] => places.map((place, at) => ({ id: `${at}`, place }))

function apply(wanted: readonly Placed[]): Placed[] {
  const changes = new Map(newPlaces(wanted).map(({ id, place }) => [id, place]))
  return wanted.map(({ id, place }) => ({ id, place: changes.get(id) ?? place }))
}

test('whatever the places were, things stand in the order they are given in', () => {
  const place = fc.oneof(fc.integer({ min: -3, max: 9 }), fc.maxSafeInteger(), fc.constant(nowhere))
  fc.assert(
    fc.property(fc.array(place), (places) => {
      const wanted = named(places)
      const after = apply(wanted)
      expect(inOrder(after)).toEqual(wanted.map(({ id }) => id))
      expect(new Set(after.map((one) => one.place)).size).toBe(wanted.length)
      expect(after.every((one) => Number.isSafeInteger(one.place) && one.place < nowhere)).toBe(true)
    }),
  )
})

test('whatever is moved, nothing else gets another place', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), fc.nat(), (size, from, to) => {
      const things = apply(named(Array(size).fill(nowhere)))
      expect(newPlaces(things)).toEqual([])
      const [moved] = things.splice(from % size, 1) as [Placed]
      things.splice(to % size, 0, moved)
      expect(newPlaces(things).length).toBeLessThanOrEqual(1)
    }),
  )
})

test('something is moved to and fro for as long as one likes', () => {
  let things = apply(named(Array(5).fill(nowhere)))
  for (let turn = 0; turn < 200; turn++) {
    const [first, second, third, ...rest] = things as [Placed, Placed, Placed]
    things = apply(turn % 2 ? [first, third, second, ...rest] : [third, first, second, ...rest])
    expect(inOrder(things)).toEqual(things.map(({ id }) => id))
  }
})
