import { expect, test } from 'vitest'
import type { EventTraits } from './event-rows.ts'
import { FoldedEntries } from './folded-entries.ts'

const noon = Date.parse('2026-02-01T12:00:00.000Z')
let seq = 0
/** @param minutes before noon */
const event = (minutes: number, traits: Partial<EventTraits> = {}): EventTraits => ({
  seq: ++seq,
  id: `event ${seq}`,
  timestamp: new Date(noon - minutes * 60_000).toISOString(),
  action: 'device.update',
  actor_type: 'user',
  actor_id: 'ada',
  actor_email: 'ada@acme.test',
  resource_type: 'device',
  resource_id: 'laptop',
  resource_name: 'Laptop',
  org_id: 'berlin',
  partner_id: 'acme',
  result: 'success',
  import_id: null,
  ...traits,
})
/** The counts of the entries of a page. */
const fold = (events: EventTraits[], page = 1, limit = 50) => {
  const entries = new FoldedEntries(page, limit)
  events.every((one) => entries.add(one))
  return entries
}
const counts = (events: EventTraits[]) => fold(events).page.map(({ count }) => count)

test('repetitions are one entry at the newest of them, also when others come between', () => {
  const { page, isLast } = fold([event(1), event(2, { resource_id: 'desktop' }), event(3), event(50)])
  expect(page.map(({ count, newest, since }) => [count, newest.timestamp, since])).toEqual([
    [3, event(1).timestamp, event(50).timestamp],
    [1, event(2).timestamp, event(2).timestamp],
  ])
  expect(isLast).toBe(true)
})

test('what differs in action, actor, target, organization or result stays apart', () => {
  const others: Partial<EventTraits>[] = [
    { action: 'device.move' },
    { actor_id: 'bo' },
    { actor_type: 'api_key' },
    { actor_email: null },
    { resource_type: 'site' },
    { resource_id: null },
    { resource_id: null, resource_name: 'Other' },
    { org_id: 'paris' },
    { result: 'denied' },
  ]
  expect(counts([event(1), ...others.map((traits) => event(2, traits))])).toEqual(Array(10).fill(1))
})

test('the status changes of a device are one entry, whether the agent or the appliance noticed', () => {
  const change = { action: 'agent.heartbeat.state_change' }
  const system = { ...change, actor_type: 'system', actor_id: 'nobody', actor_email: null } as const
  expect(counts([event(1, change), event(2, system), event(3, { ...change, resource_id: 'desktop' })])).toEqual([2, 1])
})

test('what happens again after more than an hour is an entry of its own', () => {
  expect(counts([event(0), event(60), event(120), event(181)])).toEqual([3, 1])
})

test('an import is one entry, whatever its events say and however long it took', () => {
  const row = (minutes: number, traits: Partial<EventTraits>) => event(minutes, { ...traits, import_id: 'i' })
  const { page } = fold([
    row(0, { action: 'contact.create', resource_id: 'a' }),
    row(90, { action: 'contact.update', resource_id: 'b', org_id: 'paris' }),
    event(91, { action: 'contact.update', resource_id: 'b' }),
    // The id comes from the caller.
    row(92, { actor_id: 'bo' }),
  ])
  expect(page.map(({ as, count, organizations }) => [as, count, organizations.size])).toEqual([
    ['import', 2, 2],
    ['repetition', 1, 1],
    ['import', 1, 1],
  ])
})

test('an entry has at most a thousand events', () => {
  expect(counts(Array.from({ length: 1001 }, () => event(0)))).toEqual([1000, 1])
})

test('a page ends where the next entry begins, and every event is on exactly one page', () => {
  const targets = ['a', 'b', 'a', 'b', 'c', 'a', 'c', 'd', 'd', 'e']
  const events = targets.map((resource_id, at) => event(at, { resource_id }))
  const pages = [1, 2, 3].map((page) => fold(events, page, 2))
  expect(pages.map(({ page }) => page.map(({ newest, count }) => `${newest.resource_id}${count}`))).toEqual([
    ['a2', 'b2'],
    // The third “a” is older than the first page.
    ['c2', 'a1'],
    ['d2', 'e1'],
  ])
  expect(pages.map(({ eventsBefore }) => eventsBefore)).toEqual([0, 4, 7])
  expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true])
  expect(fold(events, 4, 2)).toMatchObject({ page: [], eventsBefore: 10, isLast: true })
})
