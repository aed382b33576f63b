import { expect, test } from 'vitest'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { barsOf, type Presence, spansOf } from './presence-bars.ts'

const until = Date.parse('2026-03-02T09:00:00.000Z')
const hourMs = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

/** Changes so many hours before the end. */
const day = (...changes: [hoursAgo: number, status: DeviceStatus][]): Presence => ({
  since: iso(until - 24 * hourMs),
  until: iso(until),
  changes: changes.map(([hoursAgo, status]) => ({ at: iso(until - hoursAgo * hourMs), status })),
})

test('a status lasts until the next one, and the last until now', () => {
  const [online, offline] = spansOf(day([24, 'online'], [2, 'offline']))
  expect(online).toEqual({ status: 'online', from: until - 24 * hourMs, to: until - 2 * hourMs })
  expect(offline).toEqual({ status: 'offline', from: until - 2 * hourMs, to: until })
  expect(spansOf(day())).toEqual([])
})

test('what lies before the day or after it is cut off', () => {
  expect(spansOf(day([30, 'online'], [-1, 'offline']))).toEqual([
    { status: 'online', from: until - 24 * hourMs, to: until },
  ])
})

test('columns that look the same are one bar', () => {
  expect(barsOf(day([24, 'online'], [12, 'offline'], [6, 'maintenance'], [4, 'updating']), 24)).toEqual([
    { shown: 'online', from: 0, to: 12, quarters: 4 },
    { shown: 'offline', from: 12, to: 18, quarters: 0 },
    { shown: 'maintenance', from: 18, to: 20, quarters: 0 },
    { shown: 'online', from: 20, to: 24, quarters: 4 },
  ])
})

test('what is not known is blank, and so is what waits for approval or is out of service', () => {
  expect(barsOf(day([3, 'online']), 24)).toEqual([{ shown: 'online', from: 21, to: 24, quarters: 4 }])
  expect(barsOf(day([24, 'quarantined'], [12, 'decommissioned'], [6, 'pending']), 24)).toEqual([])
  const apart = barsOf(day([24, 'online'], [20, 'quarantined'], [10, 'online']), 24)
  expect(apart.map(({ from, to }) => [from, to])).toEqual([
    [0, 4],
    [14, 24],
  ])
})

test('a column is as high as the part of it in which the device was online, and never full or empty by rounding', () => {
  const minute = 1 / 60
  const heightOf = (minutesOffline: number) =>
    barsOf(day([24, 'online'], [10, 'offline'], [10 - minutesOffline * minute, 'online']), 24).find(
      ({ from }) => from === 14,
    )
  expect(heightOf(1)).toMatchObject({ shown: 'online', quarters: 3, to: 15 })
  expect(heightOf(30)).toMatchObject({ shown: 'online', quarters: 2, to: 15 })
  expect(heightOf(59)).toMatchObject({ shown: 'online', quarters: 1, to: 15 })
  expect(heightOf(60)).toMatchObject({ shown: 'offline', to: 15 })
})
