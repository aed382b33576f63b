import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type Measured, type MeasuredServer, startMeasuredServer } from './measured-server.ts'
import { askedEndpoints, type Question, questionsOf } from './worst-question.ts'

/**
 * Each endpoint is asked its worst question by somebody of a large company, while a device of another one beats: how much
 * longer does the device wait for its answer? The only place where a time is judged.
 */

/** Milliseconds that nobody else's answer may take longer. */
const bound = 50
/** On a busy machine something else may have taken the time; whatever holds the server does so each time. */
const tries = 4

let server: MeasuredServer
const report: string[] = []

beforeAll(async () => {
  server = await startMeasuredServer()
})
afterAll(async () => {
  await server.close()
  process.stdout.write(`${report.join('\n')}\n`)
})

const about = (endpoint: Endpoint, { about, query }: Question, { status, bytes, ms, waits }: Measured) =>
  [
    `${Math.min(...waits)
      .toFixed(0)
      .padStart(5)} ms`,
    endpoint.name.padEnd(36),
    `${about} ${JSON.stringify(query).slice(0, 60)}`.padEnd(80),
    `${status}, ${bytes} bytes in ${ms.toFixed(0)} ms`,
  ].join('  ')

/** Those that end something others are asked about come last, the deepest first. */
const place = ({ access, method, name }: Endpoint): number => {
  if (method === 'GET') return 0
  if (access.who === 'agent') return 1
  return method === 'DELETE' || /decommission|deny|rotate|logout|revoke|archive|\.merge$|jobs\.run/.test(name) ? 3 : 2
}
const only = process.env.HOMEPORT_ASKED
const inOrder = askedEndpoints
  .filter(({ name }) => !only || new RegExp(only).test(name))
  .map((endpoint, at) => ({ endpoint, at: place(endpoint) === 3 ? -at : at }))
  .sort((a, b) => place(a.endpoint) - place(b.endpoint) || a.at - b.at)
  .map(({ endpoint }) => endpoint)

test.each(inOrder.map((endpoint) => [endpoint.name, endpoint] as const))('%s', async (_, endpoint) => {
  const late: string[] = []
  for (const question of questionsOf(endpoint, server.ids)) {
    const measured = await server.measure(endpoint, question, { bound, tries })
    const line = about(endpoint, question, measured)
    report.push(line)
    if (Math.min(...measured.waits) > bound) late.push(line)
  }
  expect(late).toEqual([])
})
