import { expect, test } from 'vitest'
import { metrics } from '../../../shared/api/system.ts'
import { company, enrolledDevice } from '../../../test/helpers/factories.ts'
import { type TestApp, testApp } from '../../../test/helpers/test-app.ts'

const headers = { host: 'localhost' }

/** Parses the page, line by line, as the text format of Prometheus defines it. */
async function readPage(app: TestApp) {
  const answer = await app.inject({ url: '/api/v1/metrics', headers })
  expect(answer.headers['content-type']).toBe(metrics.content)
  expect(answer.body.endsWith('\n')).toBe(true)
  const types: Record<string, string> = {}
  const samples: Record<string, number> = {}
  for (const line of answer.body.split('\n').filter(Boolean)) {
    const [, kind, name = '', text] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') types[name] = text ?? ''
    if (kind) continue
    const [, sample, value] = /^(\w+(?:\{\w+="[^"\\\n]*"\})?) (\S+)$/.exec(line) ?? []
    expect(sample, line).toBeDefined()
    samples[sample ?? ''] = Number(value)
  }
  return { types, samples }
}

test('the metrics page is valid Prometheus text with the expected metric names and types', async () => {
  await using app = await testApp()
  const { types, samples } = await readPage(app)
  expect(types).toEqual({
    homeport_devices: 'gauge',
    homeport_agent_connections: 'gauge',
    homeport_event_streams: 'gauge',
    homeport_event_loop_delay_p99_seconds: 'gauge',
    homeport_event_loop_delay_max_seconds: 'gauge',
    process_resident_memory_bytes: 'gauge',
    process_uptime_seconds: 'gauge',
    process_cpu_seconds_total: 'counter',
  })
  // Without devices there is no sample of homeport_devices.
  expect(Object.keys(samples)).toEqual(Object.keys(types).slice(1))
  for (const [name, value] of Object.entries(samples)) expect(value, name).toBeGreaterThanOrEqual(0)
  expect(samples.process_resident_memory_bytes).toBeGreaterThan(1e6)
})

test('the metrics page counts devices by their status at the time of the request', async () => {
  await using app = await testApp()
  const { key } = await company(app)
  const devicesIn = (page: Record<string, number>) =>
    Object.entries(page).filter(([name]) => name.startsWith('homeport_devices'))
  const { samples } = await readPage(app)
  expect(devicesIn(samples)).toEqual([[expect.stringMatching(/status="(online|offline)"/), 1]])
  await enrolledDevice(app, key.key, 'pc-2')
  app.db.statement("UPDATE devices SET status = 'maintenance'").run()
  const later = (await readPage(app)).samples
  expect(devicesIn(later)).toEqual([['homeport_devices{status="maintenance"}', 2]])
  expect(later.process_cpu_seconds_total).toBeGreaterThan(samples.process_cpu_seconds_total ?? 0)
})
