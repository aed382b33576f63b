import { expect, test } from 'vitest'
import type { MetricPoint } from '../../../shared/api/devices.ts'
import { summarize } from './metric-summary.ts'

const empty: MetricPoint = {
  timestamp: '',
  cpu: 0,
  ram: 0,
  ramUsedMb: 0,
  disk: 0,
  diskUsedGb: 0,
  diskActivityAvailable: null,
  diskReadBytes: null,
  diskWriteBytes: null,
  diskReadBps: null,
  diskWriteBps: null,
  diskReadOps: null,
  diskWriteOps: null,
  networkIn: null,
  networkOut: null,
  bandwidthInBps: null,
  bandwidthOutBps: null,
  processCount: null,
}
const at = (minute: number) => new Date(Date.UTC(2026, 10, 23, 10, minute)).toISOString()

test('a summary has average and highest value of at most twelve stretches', () => {
  const points = Array.from({ length: 25 }, (_, minute) => ({ ...empty, timestamp: at(minute), cpu: minute }))
  const stretches = summarize(points, ['cpu'])
  expect(stretches).toHaveLength(9)
  expect(stretches[0]).toEqual({ from: at(0), values: [{ name: 'cpu', average: 1, highest: 2 }] })
  expect(stretches.at(-1)).toEqual({ from: at(24), values: [{ name: 'cpu', average: 24, highest: 24 }] })
})

test('what was not measured is left out of the average, and is not a zero', () => {
  const points = [
    { ...empty, timestamp: at(0), networkIn: 40 },
    { ...empty, timestamp: at(1) },
  ]
  const measured = summarize(points, ['networkIn', 'networkOut']).map(({ values }) => values)
  expect(measured).toEqual([
    [
      { name: 'networkIn', average: 40, highest: 40 },
      { name: 'networkOut', average: null, highest: null },
    ],
    [
      { name: 'networkIn', average: null, highest: null },
      { name: 'networkOut', average: null, highest: null },
    ],
  ])
})

test('nothing measured has no stretches', () => {
  expect(summarize([], ['cpu'])).toEqual([])
})
