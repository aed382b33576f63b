import { expect, test } from 'vitest'
import { foldEvents } from './fold-events.ts'

const event = (n: number, action: string, orgId: string | null, userId: string) => ({
  n,
  action,
  orgId,
  user: { id: userId, name: '', email: '', role: 'user' as const },
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
