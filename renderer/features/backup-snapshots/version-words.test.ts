import { expect, test } from 'vitest'
import { keptWords, snapshotOf } from './version-words.ts'

const taken = (day: number, id: string | null = `on ${day}`) => ({ id, takenAt: `2026-11-${day}T12:00:00.000Z` })

test('a version says from when to when snapshots have it', () => {
  const range = keptWords({ oldestSnapshot: taken(18), newestSnapshot: taken(24) })
  expect(range).toBe('Nov 18, 2026 to Nov 24, 2026')
  const once = keptWords({ oldestSnapshot: taken(24), newestSnapshot: taken(24) })
  expect(once).toBe('Nov 24, 2026')
})

test('a version is taken from the newest snapshot that is still listed', () => {
  expect(snapshotOf({ oldestSnapshot: taken(18), newestSnapshot: taken(24) })).toBe('on 24')
  expect(snapshotOf({ oldestSnapshot: taken(18), newestSnapshot: taken(24, null) })).toBe('on 18')
  expect(snapshotOf({ oldestSnapshot: taken(18, null), newestSnapshot: taken(24, null) })).toBeNull()
})
