import { expect, test } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import { everyOrg, onlyOrgs } from '../db/reach.ts'
import type { Identity } from './actor.ts'
import { LiveEvents } from './live.ts'

type Place = Pick<Identity, 'orgs' | 'sites'> & Partial<Pick<Identity, 'groups'>>
type Told = Extract<LiveEvent, { deviceId: string }>

const about = (orgId: string, siteId: string, deviceId = 'd') => ({ orgId, siteId, deviceId })
const status = (orgId: string, siteId = 's') => ({ type: 'device.status', ...about(orgId, siteId) }) as unknown as Told
const metrics = (deviceId: string) => ({ type: 'device.metrics', ...about('o', 's', deviceId) }) as unknown as Told

function listener(live: LiveEvents, place: Place | null, deviceId?: string, sessionId = 'session') {
  const heard: LiveEvent[] = []
  const state = { place, isClosed: false, isDismissed: false, looks: 0, heard, leave: () => {} }
  state.leave = live.subscribe({
    sessionId,
    identity: () => {
      state.looks++
      return state.place && ({ groups: null, ...state.place } as Identity)
    },
    deviceId,
    send: (event) => heard.push(event),
    dismiss: () => {
      state.isDismissed = true
      state.leave()
    },
    close: () => {
      state.isClosed = true
      state.leave()
    },
  })
  return state
}

test('a live event reaches only listeners whose reach includes its organization and site', () => {
  const live = new LiveEvents(() => [])
  const everybody = listener(live, { orgs: everyOrg, sites: null })
  const own = listener(live, { orgs: onlyOrgs(['o']), sites: null })
  const foreign = listener(live, { orgs: onlyOrgs(['x']), sites: null })
  const confined = listener(live, { orgs: onlyOrgs(['o']), sites: new Set(['t']) })
  const nowhere = listener(live, { orgs: onlyOrgs(['o']), sites: new Set() })
  const none = listener(live, { orgs: onlyOrgs([]), sites: null })
  live.publish(status('o', 's'))
  live.publish(status('o', 't'))
  expect([everybody, own, foreign, confined, nowhere, none].map(({ heard }) => heard.length)).toEqual([
    2, 2, 0, 1, 0, 0,
  ])
  live.organizationChanged('o')
  expect(
    [everybody, own, foreign, confined, nowhere, none].map(({ heard }) => heard.length),
    'of the organization itself',
  ).toEqual([3, 3, 0, 2, 1, 0])
  expect(confined.heard).toMatchObject([{ siteId: 't' }, { type: 'organization.changed' }])
})

const inGroups = (...groups: string[]) => ({ orgs: onlyOrgs(['o']), sites: null, groups: new Set(groups) })

test('a listener confined to groups gets events by the groups of the device, or by the groups given with the event', () => {
  let asked = 0
  const live = new LiveEvents(() => {
    asked++
    return ['g']
  })
  const member = listener(live, inGroups('f', 'g'))
  const other = listener(live, inGroups('x'))
  const none = listener(live, inGroups())
  live.publish(status('o'))
  expect([member, other, none].map(({ heard }) => heard.length)).toEqual([1, 0, 0])
  expect(asked).toBe(1)
  // A deleted device is in no group any more, so its event names the groups it was in.
  live.publish(status('o'), ['x'])
  expect([member, other, none].map(({ heard }) => heard.length)).toEqual([1, 1, 0])
  expect(['f', 'x', 'y'].map((id) => live.isGroupWatched(id))).toEqual([true, true, false])
})

test('the groups of a device are not looked up while no listener is confined to groups', () => {
  const live = new LiveEvents(() => {
    throw new Error('asked')
  })
  const everybody = listener(live, { orgs: everyOrg, sites: null })
  live.publish(status('o'))
  expect(everybody.heard).toHaveLength(1)
})

test('moving a device notifies only listeners that lose it (device.removed) or gain it (device.changed)', () => {
  const live = new LiveEvents(() => [])
  const everybody = listener(live, { orgs: everyOrg, sites: null })
  const here = listener(live, { orgs: onlyOrgs(['o']), sites: new Set(['s']) })
  const there = listener(live, { orgs: onlyOrgs(['o']), sites: new Set(['t']) })
  const group = listener(live, inGroups('g'))
  live.moved('d', { orgId: 'o', siteId: 's', groups: ['g'] }, { orgId: 'o', siteId: 't', groups: [] })
  expect([everybody, here, there, group].map(({ heard }) => heard.map(({ type }) => type))).toEqual([
    [],
    ['device.removed'],
    ['device.changed'],
    ['device.removed'],
  ])
  expect(here.heard).toMatchObject([{ deviceId: 'd', siteId: 's' }])
  expect(there.heard).toMatchObject([{ deviceId: 'd', siteId: 't' }])
})

test('detail events of a device reach only listeners that watch it and may see it', () => {
  const live = new LiveEvents(() => [])
  const watching = listener(live, { orgs: onlyOrgs(['o']), sites: null }, 'd1')
  const other = listener(live, { orgs: onlyOrgs(['o']), sites: null }, 'd2')
  const list = listener(live, { orgs: onlyOrgs(['o']), sites: null })
  const foreign = listener(live, { orgs: onlyOrgs(['x']), sites: null }, 'd1')
  live.publish(metrics('d1'))
  expect([watching, other, list, foreign].map(({ heard }) => heard.length)).toEqual([1, 0, 0, 0])
  expect([live.isWatched('d1'), live.isWatched('d3')]).toEqual([true, false])
})

test('the reach of a listener is evaluated anew for every event', () => {
  const live = new LiveEvents(() => [])
  const moved = listener(live, { orgs: onlyOrgs(['o']), sites: null })
  live.publish(status('o'))
  moved.place = { orgs: onlyOrgs(['x']), sites: null }
  live.publish(status('o'))
  expect(moved.heard).toHaveLength(1)
})

test('a stream whose session has ended is dismissed and gets no more events', () => {
  const live = new LiveEvents(() => [])
  const gone = listener(live, { orgs: everyOrg, sites: null })
  const stays = listener(live, { orgs: everyOrg, sites: null })
  gone.place = null
  live.publish(status('o'))
  expect([gone.isDismissed, gone.heard.length, stays.heard.length]).toEqual([true, 0, 1])
  const alsoGone = listener(live, null)
  void live.sweep()
  expect([alsoGone.isDismissed, stays.isDismissed]).toEqual([true, false])
})

test('repeated requests for a sweep are merged into one more sweep, which covers every stream', async () => {
  const live = new LiveEvents(() => [])
  const everywhere: Place = { orgs: everyOrg, sites: null }
  const many = Array.from({ length: 120 }, (_, index) => listener(live, everywhere, undefined, `session ${index}`))
  const first = live.sweep()
  for (let i = 0; i < 100; i++) void live.sweep()
  const late = many.at(-1)
  if (late) late.place = null
  await first
  expect([late?.isDismissed, live.count]).toEqual([true, 119])
  expect(many.reduce((sum, { looks }) => sum + looks, 0)).toBe(120 + 119)
})

test('a listener that has left gets no events, and the listener count follows', () => {
  const live = new LiveEvents(() => [])
  const one = listener(live, { orgs: everyOrg, sites: null })
  expect(live.count).toBe(1)
  one.leave()
  one.leave()
  live.publish(status('o'))
  expect([live.count, one.heard.length]).toEqual([0, 0])
})

test('every stream is closed when the live events stop', () => {
  const live = new LiveEvents(() => [])
  const streams = [1, 2].map(() => listener(live, { orgs: everyOrg, sites: null }))
  live.closeAll()
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([true, true])
})

test('a session that opens too many streams loses its oldest, and another session loses none', () => {
  const live = new LiveEvents(() => [])
  const place = { orgs: everyOrg, sites: null } as const
  const other = listener(live, place, undefined, 'other')
  const streams = Array.from({ length: 32 }, () => listener(live, place, undefined, 'one'))
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([true, true, ...Array(30).fill(false)])
  expect(other.isClosed).toBe(false)
})
