import { expect, test } from 'vitest'
import { foldEvents } from './fold-events.ts'

const event = (n: number, action: string, orgId: string | null, userId: string) => ({
  n,
  action,
  orgId,
  user: { id: userId, name: '', email: '', role: 'user' as const },
  folded: null,
})

test('only neighbors of the same action, organization and user are folded', () => {
  const events = [
    event(1, 'device.update', 'a', 'ada'),
    event(2, 'device.update', 'a', 'ada'),
    event(3, 'device.update', 'b', 'ada'),
    event(4, 'device.update', 'b', 'tom'),
    event(5, 'site.update', 'b', 'tom'),
    event(6, 'device.update', 'b', 'tom'),
  ]
  expect(foldEvents(events).map((group) => group.map(({ n }) => n))).toEqual([[1, 2], [3], [4], [5], [6]])
  expect(foldEvents([])).toEqual([])
})

test('an import is a group of its own', () => {
  const folded = { as: 'import' as const, count: 3, since: '2026-02-01T00:00:00Z', organizations: 1 }
  const [before, after] = [event(1, 'contact.create', 'a', 'ada'), event(3, 'contact.create', 'a', 'ada')]
  const groups = foldEvents([before, { ...event(2, 'contact.create', 'a', 'ada'), folded }, after])
  expect(groups.map((group) => group.map(({ n }) => n))).toEqual([[1], [2], [3]])
})
