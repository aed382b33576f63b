import { expect, test } from 'vitest'
import { keptWords, snapshotOf } from './version-words.ts'

const taken = (day: number, id: string | null = `on ${day}`) => ({ id, takenAt: `2026-11-${day}T12:00:00.000Z` })

test('a version says how many snapshots have it, and from when to when', () => {
  const range = keptWords({ oldestSnapshot: taken(18), newestSnapshot: taken(24), snapshots: 7 })
  expect(range).toBe('7 snapshots, Nov 18, 2026 to Nov 24, 2026')
  const once = keptWords({ oldestSnapshot: taken(24), newestSnapshot: taken(24), snapshots: 1 })
  expect(once).toBe('1 snapshot, Nov 24, 2026')
})

test('a version is taken from the newest snapshot that is still listed', () => {
  expect(snapshotOf({ oldestSnapshot: taken(18), newestSnapshot: taken(24), snapshots: 2 })).toBe('on 24')
  expect(snapshotOf({ oldestSnapshot: taken(18), newestSnapshot: taken(24, null), snapshots: 2 })).toBe('on 18')
  expect(snapshotOf({ oldestSnapshot: taken(18, null), newestSnapshot: taken(24, null), snapshots: 2 })).toBeNull()
})
