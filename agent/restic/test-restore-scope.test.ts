import { expect, test } from 'vitest'
import type { SnapshotNode } from './snapshot-nodes.ts'
import { ScopeChoice } from './test-restore-scope.ts'

const gigabyte = 1024 ** 3

const node = (path: string, size: number, type = 'file'): SnapshotNode => ({
  ...{ struct_type: 'node', type, path, size, mtime: '2026-01-01T00:00:00Z' },
})

interface Scene {
  nodes: SnapshotNode[]
  remembered?: string[]
  again?: string[]
  wholeUpToBytes?: number
  /** Beside what is left to the device. */
  room: number
}

function scopeOf({ nodes, remembered = [], again = [], wholeUpToBytes = 10_000, room }: Scene) {
  const choice = new ScopeChoice({ remembered: new Set(remembered), again: new Set(again) })
  for (const one of nodes) choice.add(one)
  const scope = choice.within({ wholeUpToBytes, freeBytes: gigabyte + room })
  if (scope === null) return null
  const paths = scope.nodes === 'all' ? 'all' : scope.nodes.map(({ path }) => path)
  return { ...scope, nodes: paths }
}

const some = (count: number, size: number) => Array.from({ length: count }, (_, n) => node(`/file ${n}`, size))

test('all of a snapshot is restored where there is room for it and a fifth more', () => {
  const nodes = some(10, 100)
  expect(scopeOf({ nodes, room: 1200 })).toEqual({ nodes: 'all', bytes: 1000, totalBytes: 1000, isAgain: true })
  expect(scopeOf({ nodes, room: 1199 })?.nodes).not.toBe('all')
})

test('files that are all empty need no room', () => {
  expect(scopeOf({ nodes: some(3, 0), room: -gigabyte })).toMatchObject({ nodes: 'all', totalBytes: 0 })
})

test.each([-gigabyte, -1, 0, 1])('with %i bytes of room nothing is restored, not even an empty file', (room) => {
  const nodes = [node('/empty', 0), ...some(10, 100)]
  for (const wholeUpToBytes of [10_000, 500]) {
    expect(scopeOf({ nodes, room, wholeUpToBytes })).toBeNull()
    expect(scopeOf({ nodes, room, wholeUpToBytes, remembered: ['/empty'] })).toBeNull()
    expect(scopeOf({ nodes, room, wholeUpToBytes, remembered: ['/empty', '/file 0'] })).toBeNull()
    expect(scopeOf({ nodes, room, wholeUpToBytes, again: ['/empty', '/file 0'] })).toBeNull()
  }
})

test('a part has all files that there are checksums of, or there is no room', () => {
  const nodes = some(100, 100)
  const remembered = ['/file 1', '/file 2', '/file 3']
  expect(scopeOf({ nodes, remembered, room: 359 })).toBeNull()
  const found = scopeOf({ nodes, remembered, room: 600 })
  expect(found).toMatchObject({ bytes: 500, totalBytes: 10_000 })
  expect(found?.nodes).toEqual(expect.arrayContaining(remembered))
})

test('without checksums a part has at least half of what it would have with room', () => {
  const nodes = some(100, 100)
  expect(scopeOf({ nodes, wholeUpToBytes: 4000, room: 2399 })).toBeNull()
  expect(scopeOf({ nodes, wholeUpToBytes: 4000, room: 2400 })).toMatchObject({ bytes: 2000 })
})

test('of files that are all too large the smallest is restored', () => {
  const nodes = [node('/empty', 0), node('/large', 30_000), node('/less', 20_000)]
  expect(scopeOf({ nodes, room: 24_000 })).toMatchObject({ nodes: ['/less'], bytes: 20_000 })
  expect(scopeOf({ nodes, room: 23_999 })).toBeNull()
})

test('what could not be restored before is in a part, and it is said when it is not', () => {
  const nodes = [...some(1000, 100), node('/bad', 300), node('/link', 0, 'symlink'), node('/other link', 0, 'symlink')]
  const again = ['/bad', '/link', '/gone since']
  const found = scopeOf({ nodes, again, wholeUpToBytes: 10_000, room: 100_000 })
  expect(found?.nodes).toEqual(expect.arrayContaining(['/bad', '/link']))
  expect(found?.nodes).not.toContain('/other link')
  expect(found?.isAgain).toBe(true)
  expect(scopeOf({ nodes, again, wholeUpToBytes: 250, room: 100_000 })).toMatchObject({ isAgain: false })
})

test('a part is never more than what is restored as a whole', () => {
  const found = scopeOf({ nodes: some(1000, 100), wholeUpToBytes: 2000, room: 1_000_000 })
  expect(found).toMatchObject({ bytes: 2000, totalBytes: 100_000 })
})
