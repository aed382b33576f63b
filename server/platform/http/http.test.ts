import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../../../shared/endpoint.ts'
import { directClients } from '../../../test/helpers/clients.ts'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../../test/helpers/test-app.ts'
import type { LimitOverrides } from '../../limits.ts'
import type { UserActor } from '../actor.ts'
import { AppError } from '../errors.ts'
import { RateLimits } from '../rate-limit.ts'
import { Http } from './http.ts'

const thing = z.object({ id: z.string(), size: z.int() })
const readThing = endpoint({
  name: 'things.read',
  method: 'GET',
  path: '/things/:id',
  summary: 'One thing',
  access: publicAccess,
  params: z.object({ id: z.string() }),
  query: z.object({ size: z.coerce.number().int().optional() }),
  reply: thing,
})
const makeThing = endpoint({
  name: 'things.make',
  method: 'POST',
  path: '/things',
  summary: 'Makes a thing',
  access: userAccess('devices:write'),
  body: z.object({ id: z.string().max(5), size: z.int() }),
  status: 201,
  reply: thing,
})
const health = endpoint({
  name: 'test.health',
  method: 'GET',
  path: '/health',
  summary: 'Lives',
  access: publicAccess,
  reply: z.object({}),
})

function scene(limits: LimitOverrides = {}) {
  const app = fastify()
  const clock = new FakeClock()
  const actor = { kind: 'user', scope: 'partner', permissions: new Set(['devices:write']), grants: [{}] }
  const http = new Http(
    app,
    {
      user: (request) => {
        if (request.headers.authorization !== 'Bearer me') throw new AppError('unauthorized')
        return actor as unknown as UserActor
      },
      device: () => {
        throw new AppError('agent_unauthorized')
      },
    },
    new RateLimits(freshDatabase(), clock, limits),
    directClients,
    { isTwoFactorEnabled: true },
  )
  http.public(health, () => ({}))
  http.public(readThing, ({ params, query }) => {
    if (params.id === 'broken') throw new Error('SELECT * FROM secrets failed')
    if (params.id === 'gone') throw new AppError('device_not_found')
    return { id: params.id, size: query.size ?? 0, extra: 'leaks' }
  })
  http.user(makeThing, ({ body }) => body)
  return { app, clock }
}
const me = { authorization: 'Bearer me' }

test('a reply has the status and the keys of its contract, and must not be cached', async () => {
  const { app } = scene()
  const read = await app.inject({ url: '/api/v1/things/a?size=3&orgId=ignored' })
  expect([read.statusCode, read.json()]).toEqual([200, { id: 'a', size: 3 }])
  expect(read.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  const made = await app.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: me,
    payload: { id: 'a', size: 1, x: 2 },
  })
  expect([made.statusCode, made.json()]).toEqual([201, { id: 'a', size: 1 }])
})

test('a 500 reply contains its request id and nothing of its reason', async () => {
  const { app } = scene()
  const { statusCode, body, headers } = await app.inject({ url: '/api/v1/things/broken' })
  expect(statusCode).toBe(500)
  expect(JSON.parse(body)).toEqual({
    error: 'Internal Server Error',
    code: 'internal',
    requestId: headers['x-request-id'],
  })
})

test('a refusal has a code, the same text as error and as message, and a request id', async () => {
  const { app } = scene()
  const { statusCode, headers, body } = await app.inject({ url: '/api/v1/things/gone' })
  expect([statusCode, JSON.parse(body)]).toEqual([
    404,
    { error: 'Device not found', message: 'Device not found', code: 'device_not_found' },
  ])
  expect(headers).toMatchObject({
    'x-request-id': expect.any(String),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
})

test('a caller without a session gets 401 before the body is read, and a 400 names every bad field', async () => {
  const { app } = scene()
  const post = (payload: string | object, headers: Record<string, string> = me) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/things',
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    })
  expect((await post('{broken', {})).statusCode).toBe(401)
  const { statusCode, body } = await post({ id: 'too long', size: 'x' })
  expect(statusCode).toBe(400)
  const answer = JSON.parse(body) as {
    error: string
    message: string
    details: { fieldErrors: object; formErrors: [] }
  }
  expect(Object.keys(answer.details.fieldErrors)).toEqual(['id', 'size'])
  expect(answer.error).toMatch(/^id: .+; size: .+$/)
  expect(answer.message).toBe(answer.error)
  const none = await post('')
  expect([none.statusCode, (none.json() as typeof answer).details.formErrors.length]).toEqual([400, 1])
  expect((await post('null')).statusCode).toBe(400)
  expect((await post('[]')).statusCode).toBe(400)
})

test('a body with nested values is accepted, and one nested too deeply is a 400', async () => {
  const { app } = scene()
  const post = (depth: number) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/things',
      headers: { 'content-type': 'application/json', ...me },
      payload: `{"id":"a","size":1,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    })
  expect((await post(90)).statusCode).toBe(201)
  expect((await post(110)).json()).toMatchObject({ code: 'bad_request' })
  expect((await post(100_000)).statusCode).toBe(400)
})

test('one address is limited over all spellings of API paths, and neither on health nor for other addresses', async () => {
  const { app, clock } = scene({ global: { max: 2, windowSeconds: 60 } })
  const from = (url: string, remoteAddress = '10.0.0.1') => app.inject({ url, remoteAddress })
  for (const url of ['/api/v1/things/a', '/api/v1/things/b/']) await from(url)
  for (const url of ['/api/v1/things/c', '/%61pi/v1/things/c', '/api/v1/%74hings/c?x=1', '/api/v1/things/%63']) {
    const { statusCode, headers, body } = await from(url)
    expect([statusCode, headers['retry-after']], url).toEqual([429, '60'])
    expect(JSON.parse(body)).toMatchObject({ code: 'rate_limited', retryAfter: 60 })
  }
  expect((await from('/api/v1/health')).statusCode).toBe(200)
  expect((await from('/api/v1/things/a', '10.0.0.2')).statusCode).toBe(200)
  clock.advance(60_000)
  expect((await from('/api/v1/things/a')).statusCode).toBe(200)
})

test('addresses of one IPv6 network share a rate limit', async () => {
  const { app } = scene({ global: { max: 1, windowSeconds: 60 } })
  const from = async (remoteAddress: string) =>
    (await app.inject({ url: '/api/v1/things/a', remoteAddress })).statusCode
  expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8:0:1::1')]).toEqual([200, 429, 200])
})

test('unknown API paths count towards the rate limit', async () => {
  const { app } = scene({ global: { max: 1, windowSeconds: 60 } })
  const statuses = []
  for (const url of ['/api/v1/nothing', '/api/v1/nothing']) statuses.push((await app.inject({ url })).statusCode)
  expect(statuses).toEqual([404, 429])
})
