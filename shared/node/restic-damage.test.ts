import { expect, test } from 'vitest'
import { Damage } from './restic-damage.ts'

const snapshot = 'a'.repeat(64)
const piece = 'b'.repeat(64)

test('a snapshot that is missing hides no damage to the data of others', () => {
  const damage = new Damage()
  damage.snapshots.add(snapshot)
  expect(damage.list).toEqual([{ kind: 'snapshot', id: snapshot }])
  damage.blobs.add(piece)
  expect(damage.list).toEqual([
    { kind: 'snapshot', id: snapshot },
    { kind: 'index', id: null },
  ])
})

test('a piece that no index knows is damage of the index, unless its pack is named', () => {
  const damage = new Damage()
  damage.blobs.add(piece)
  expect(damage.list).toEqual([{ kind: 'index', id: null }])
  damage.packs.add('c'.repeat(64))
  expect(damage.list).toEqual([{ kind: 'pack', id: 'c'.repeat(64) }])
})

test('what cannot be named is damage nevertheless', () => {
  const damage = new Damage()
  expect(damage.isNone).toBe(true)
  damage.isOther = true
  expect(damage.list).toEqual([{ kind: 'other', id: null }])
})
