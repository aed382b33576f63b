import { expect, test } from 'vitest'
import type { DeviceRow, MetricPoint } from '../../shared/api/devices.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { appendOutput, appendPoint, type CommandWithOutput, patchPage, withMetrics, withStatus } from './live-rows.ts'

const place = { deviceId: 'a', orgId: 'o', siteId: 's' }
const row = {
  id: 'a',
  status: 'online',
  lastSeenAt: '2026-01-01T00:00:00.000Z',
  cpuPercent: 1,
  ramPercent: 2,
} as DeviceRow
const other = { ...row, id: 'b' }

const offline: Extract<LiveEvent, { type: 'device.status' }> = {
  type: 'device.status',
  ...place,
  status: 'offline',
  lastSeenAt: null,
}

test('a status touches its own row only, and an unknown time does not erase the known one', () => {
  expect(withStatus(row, offline)).toEqual({ ...row, status: 'offline' })
  expect(withStatus(other, offline)).toBe(other)
})

test('a page without the row stays the same object, and a page with it keeps its other rows', () => {
  const page = { data: [other], total: 1 }
  expect(patchPage(page, 'a', (one: DeviceRow) => withStatus(one, offline))).toBe(page)
  const both = { data: [row, other], total: 2 }
  const patched = patchPage(both, 'a', (one: DeviceRow) => withStatus(one, offline))
  expect(patched.data[0]?.status).toBe('offline')
  expect(patched.data[1]).toBe(other)
})

const point = (timestamp: string, cpu = 5) => ({ timestamp, cpu, ram: 6 }) as MetricPoint

test('metrics update the row; a report without numbers only its time', () => {
  const lastSeenAt = '2026-01-01T00:05:00.000Z'
  const event = { type: 'device.metrics', ...place, lastSeenAt, point: point(lastSeenAt) } as const
  expect(withMetrics(row, event)).toMatchObject({ lastSeenAt, cpuPercent: 5, ramPercent: 6 })
  expect(withMetrics(row, { ...event, point: null })).toMatchObject({ lastSeenAt, cpuPercent: 1, ramPercent: 2 })
})

test('a series slides with its window and ignores what is not newer', () => {
  const old = point('2026-01-01T00:00:00.000Z')
  const kept = point('2026-01-01T00:30:00.000Z')
  const next = point('2026-01-01T01:10:00.000Z')
  expect(appendPoint([old, kept], next, 3_600_000)).toEqual([kept, next])
  const same = [old, kept]
  expect(appendPoint(same, kept, 3_600_000)).toBe(same)
})

const piece = (sequence: number): Extract<LiveEvent, { type: 'command.output' }> => ({
  type: 'command.output',
  ...place,
  commandId: 'c',
  sequence,
  stream: 'stdout',
  text: `${sequence}`,
})
const command = { id: 'c', output: [] } as unknown as CommandWithOutput

test('output grows piece by piece, repeats are ignored, and a gap is reported', () => {
  const one = appendOutput(command, piece(0)) as CommandWithOutput
  const two = appendOutput(one, piece(1)) as CommandWithOutput
  expect(two.output.map(({ text }) => text)).toEqual(['0', '1'])
  expect(appendOutput(two, piece(1))).toBe(two)
  expect(appendOutput(two, piece(3))).toBe('gap')
  expect(appendOutput(command, piece(2))).toBe('gap')
})
