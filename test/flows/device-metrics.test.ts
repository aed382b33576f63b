import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { metricRow } from '../../server/features/devices/index.ts'
import { day, hour, iso, minute } from '../../server/platform/clock.ts'
import { deviceMetrics } from '../../shared/api/devices.ts'
import { test } from '../helpers/concurrent-test.ts'
import { company } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** A device that has reported its load every seven minutes for three days. */
async function scene() {
  const app = await testApp()
  const { admin, device } = await company(app)
  const now = app.clock.now()
  const told = Array.from({ length: Math.floor((3 * day) / (7 * minute)) }, (_, n) => ({
    at: now - 3 * day + n * 7 * minute,
    cpu: n % 101,
  }))
  app.db.transaction(() => {
    for (const { at, cpu } of told) {
      const metrics = { cpuPercent: cpu, ramPercent: 1, ramUsedMb: 1, diskPercent: 1, diskUsedGb: 1 }
      app.db.run(q.insertInto('device_metrics').values({ ...metricRow(at, metrics), device_id: device.deviceId }))
    }
  })
  const ask = async (query: object) =>
    (await app.call(deviceMetrics, { params: { id: device.deviceId }, query }, { token: admin.token })).body
  return { app, now, told, ask, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

function averages(told: { at: number; cpu: number }[], stepMs: number) {
  const buckets = Map.groupBy(told, ({ at }) => Math.floor(at / stepMs) * stepMs)
  return [...buckets].map(([at, points]) => ({
    timestamp: iso(at),
    cpu: Math.round((points.reduce((sum, { cpu }) => sum + cpu, 0) / points.length) * 100) / 100,
  }))
}

test.each([
  ['1m', minute],
  ['5m', 5 * minute],
  ['1h', hour],
  ['1d', day],
] as const)('each point of %s is the average of all samples in it', async (interval, stepMs) => {
  await using one = await scene()
  const { data, metrics } = await one.ask({ range: '7d', interval })
  expect(data.map(({ timestamp, cpu }) => ({ timestamp, cpu }))).toEqual(averages(one.told, stepMs))
  expect(metrics).toEqual(data)
})

test('a range includes the samples at its first and last moment', async () => {
  await using one = await scene()
  const [from, to] = [one.now - 2 * day, one.now - 2 * day + 9 * hour]
  const within = one.told.filter(({ at }) => at >= from && at <= to)
  const { data } = await one.ask({ startDate: iso(from), endDate: iso(to), interval: '1h' })
  expect(data.map(({ timestamp, cpu }) => ({ timestamp, cpu }))).toEqual(averages(within, hour))
  expect((await one.ask({ startDate: iso(to), endDate: iso(from) })).data).toEqual([])
  const long = await one.ask({ startDate: '1970-01-01T00:00:00Z', endDate: '2999-01-01T00:00:00Z', interval: '1d' })
  expect(long.data).toHaveLength(averages(one.told, day).length)
})
