import { expect, test } from 'vitest'
import { eventCount, newerEvents } from './event-count.ts'

/** An entry of the events from `since` to `at`. */
const entry = (at: number, target: string, since = at, count = at - since + 1) => ({
  id: `${target} ${at}`,
  timestamp: `2026-02-01T00:00:${String(at).padStart(2, '0')}Z`,
  action: 'device.update',
  user: { id: 'ada', name: '', email: '', role: 'user' as const },
  resource: { type: 'device', id: target, name: '' },
  folded:
    count > 1
      ? {
          as: 'repetition' as const,
          count,
          since: `2026-02-01T00:00:${String(since).padStart(2, '0')}Z`,
          organizations: 1,
        }
      : null,
})

test('the events of folded entries are counted', () => {
  expect(eventCount([entry(9, 'a', 5), entry(4, 'b')])).toBe(6)
})

test('new events are counted, of an entry that has grown only those that came', () => {
  const old = [entry(9, 'a', 7), entry(6, 'b'), entry(2, 'c')]
  expect(newerEvents(old, old)).toBe(0)
  expect(newerEvents(old, [entry(10, 'd'), ...old])).toBe(1)
  expect(newerEvents(old, [entry(11, 'a', 7), entry(6, 'b'), entry(2, 'c')])).toBe(2)
  expect(newerEvents(old, [entry(12, 'b', 6, 3), entry(11, 'd', 10), entry(9, 'a', 7), entry(2, 'c')])).toBe(4)
  expect(newerEvents([], [entry(11, 'd', 10)])).toBe(2)
})

test('where nothing of the old page is left, all events are new', () => {
  expect(newerEvents([entry(1, 'a')], [entry(9, 'b', 8), entry(5, 'c')])).toBe(3)
})
