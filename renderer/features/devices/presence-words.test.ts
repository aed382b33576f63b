import { expect, test } from 'vitest'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { Presence } from './presence-bars.ts'
import { presenceText, presenceTooltip } from './presence-words.ts'

const until = Date.parse('2026-03-02T09:00:00.000Z')
const iso = (hoursAgo: number) => new Date(until - hoursAgo * 3_600_000).toISOString()
const day = (...changes: [hoursAgo: number, status: DeviceStatus][]): Presence => ({
  since: iso(24),
  until: iso(0),
  changes: changes.map(([hoursAgo, status]) => ({ at: iso(hoursAgo), status })),
})

test('the text says how long the device was in each status, the longest first', () => {
  expect(presenceText(day([24, 'offline'], [22, 'online']))).toBe('Online 22 h, offline 2 h in the last 24 hours')
  expect(presenceText(day([24, 'online'], [6, 'updating'], [5.5, 'online'], [2.25, 'maintenance']))).toBe(
    'Online 21 h 45 min, maintenance 2 h 15 min in the last 24 hours',
  )
  expect(presenceText(day([24, 'online']))).toBe('Online 24 h in the last 24 hours')
  expect(presenceText(day([3, 'online'], [0.001, 'offline']))).toBe('Online 3 h, offline 1 min in the last 24 hours')
  expect(presenceText(day())).toBe('Nothing recorded in the last 24 hours')
})

test('the tooltip has the changes, the latest first, without what was at the beginning', () => {
  const lines = presenceTooltip(day([24, 'online'], [5, 'offline'], [4, 'online']), until).split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toMatch(/^\d.*: Online$/)
  expect(lines[2]).toMatch(/^\d.*: Offline$/)
  const many = day(
    ...Array.from({ length: 12 }, (_, n): [number, DeviceStatus] => [20 - n, n % 2 ? 'online' : 'offline']),
  )
  expect(presenceTooltip(many, until).split('\n').slice(9)).toEqual(['and 4 before'])
})
