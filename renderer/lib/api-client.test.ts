import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UnsecuredJWT } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { authMe, login } from '../../shared/api/auth.ts'
import { listDevices, readDevice } from '../../shared/api/devices.ts'
import { ApiClient } from './api-client.ts'
import { ApiError } from './api-error.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const tokenOf = (sub: string, jti: string) =>
  new UnsecuredJWT({ sub, jti, email: `${sub}@a.test`, partnerId: 'a' }).encode()
const old = tokenOf('ada', 'old')
const good = tokenOf('ada', 'good')
const others = tokenOf('bob', 'good')

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** A server that accepts one token and answers refreshes with `refresh`. */
async function fixture(refresh: Handler, onCall?: Handler) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (request.url === '/api/v1/auth/refresh') return refresh(request, response)
    if (onCall) return onCall(request, response)
    if (request.headers.authorization === `Bearer ${good}`) return json(response, 200, { user: { name: 'Ada' } })
    json(response, 401, { error: 'Invalid or expired token', code: 'invalid_token' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const onEvicted = vi.fn()
  const onBarred = vi.fn()
  const onRefused = vi.fn()
  const api = new ApiClient({
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readCsrfToken: () => 'csrf',
    onEvicted,
    onBarred,
    onRefused,
    refreshBackoffMs: 5,
  })
  const refreshes = () => seen.filter((line) => line.endsWith('/auth/refresh')).length
  return { api, seen, refreshes, onEvicted, onBarred, onRefused }
}

const grant: Handler = (request, response) =>
  request.headers['x-svc-csrf'] === 'csrf'
    ? json(response, 200, { tokens: { accessToken: good, expiresInSeconds: 900 } })
    : json(response, 403, { error: 'Invalid CSRF token', code: 'invalid_csrf_token' })

const refuse: Handler = (_, response) =>
  json(response, 401, { error: 'Invalid refresh token', code: 'invalid_refresh_token' })

test('an expired token is refreshed once and the call is repeated', async () => {
  const { api, seen, onEvicted } = await fixture(grant)
  api.signIn(old)
  expect((await api.call(authMe, {})).user.name).toBe('Ada')
  expect(seen).toEqual(['GET /api/v1/auth/me', 'POST /api/v1/auth/refresh', 'GET /api/v1/auth/me'])
  expect(onEvicted).not.toHaveBeenCalled()
})

test('many calls at once share one refresh', async () => {
  const { api, refreshes } = await fixture(grant)
  api.signIn(old)
  await Promise.all(Array.from({ length: 8 }, () => api.call(authMe, {})))
  expect(refreshes()).toBe(1)
})

test('a refused refresh ends the session once, and each call fails with its first refusal', async () => {
  const { api, onEvicted } = await fixture(refuse)
  api.signIn(old)
  const calls = await Promise.allSettled([api.call(authMe, {}), api.call(authMe, {})])
  expect(calls.map((call) => call.status === 'rejected' && (call.reason as ApiError).code)).toEqual([
    'invalid_token',
    'invalid_token',
  ])
  expect(onEvicted).toHaveBeenCalledTimes(1)
  expect(api.isSignedIn()).toBe(false)
})

test.each(['IP_NOT_ALLOWED', 'untrusted_ip'])('a refresh refused with %s keeps the session', async (code) => {
  let isElsewhere = true
  const { api, onEvicted } = await fixture((request, response) =>
    isElsewhere ? json(response, 403, { error: 'x', code }) : grant(request, response),
  )
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ status: 403, code })
  expect(onEvicted).not.toHaveBeenCalled()
  isElsewhere = false
  expect((await api.call(authMe, {})).user.name).toBe('Ada')
})

const grantTo =
  (token: string): Handler =>
  (_, response) =>
    json(response, 200, { tokens: { accessToken: token, expiresInSeconds: 900 } })

test('a refresh that answers for another user ends the session, and the call is not repeated as that user', async () => {
  const { api, seen, onEvicted } = await fixture(grantTo(others))
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'invalid_token' })
  expect(seen).toEqual(['GET /api/v1/auth/me', 'POST /api/v1/auth/refresh'])
  expect(onEvicted.mock.calls).toEqual([['another-person']])
  expect([api.token(), api.owner()]).toEqual([null, null])
  // Later calls are not repeated in their name either.
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'invalid_token' })
  expect([await api.restore(), seen.length, onEvicted.mock.calls.length]).toEqual([false, 3, 1])
})

test('a refresh that answers for the same user in another tenant ends the session, too', async () => {
  const elsewhere = new UnsecuredJWT({ sub: 'ada', email: 'ada@a.test', partnerId: 'a', orgId: 'o' }).encode()
  const { api, onEvicted } = await fixture(grantTo(elsewhere))
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'invalid_token' })
  expect(onEvicted.mock.calls).toEqual([['another-tenant']])
  expect(api.isSignedIn()).toBe(false)
})

test('a call under way while another user signs in is not repeated as that user', async () => {
  const { api, seen } = await fixture(grant, (_, response) => {
    api.signIn(others)
    json(response, 401, { error: 'x', code: 'invalid_token' })
  })
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'invalid_token' })
  expect(seen).toEqual(['GET /api/v1/auth/me'])
})

test('a suspended session can be renewed by its owner only', async () => {
  let token = others
  const { api, onEvicted } = await fixture((request, response) => grantTo(token)(request, response))
  api.signIn(old)
  api.suspend()
  expect(await api.renew()).toBe(false)
  expect(onEvicted.mock.calls).toEqual([['another-person']])
  api.signIn(old)
  api.suspend()
  token = good
  expect(await api.renew()).toBe(true)
  expect(api.owner()).toMatchObject({ id: 'ada' })
})

test('a refresh that raced with another tab is tried once more after a pause', async () => {
  let tries = 0
  const raced: Handler = (request, response) =>
    ++tries === 1 ? json(response, 401, { error: 'x', code: 'refresh_raced' }) : grant(request, response)
  const { api, onEvicted } = await fixture(raced)
  api.signIn(old)
  const startedAt = performance.now()
  await api.call(authMe, {})
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195)
  expect(tries).toBe(2)
  expect(onEvicted).not.toHaveBeenCalled()
})

test('a refresh race that does not end ends the session', async () => {
  const { api, refreshes, onEvicted } = await fixture((_, response) =>
    json(response, 401, { error: 'x', code: 'refresh_raced' }),
  )
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'invalid_token' })
  expect(refreshes()).toBe(2)
  expect(onEvicted).toHaveBeenCalledTimes(1)
})

test.each([429, 500, 503])('a refresh answered %i is tried again and keeps the session', async (status) => {
  let tries = 0
  const { api, onEvicted } = await fixture((request, response) =>
    ++tries < 3 ? json(response, status, { error: 'x', code: 'unavailable' }) : grant(request, response),
  )
  api.signIn(old)
  await api.call(authMe, {})
  expect(tries).toBe(3)
  expect(onEvicted).not.toHaveBeenCalled()
})

test('a refresh that is refused with a long Retry-After fails at once and keeps the session', async () => {
  const { api, refreshes, onEvicted } = await fixture((_, response) =>
    json(response, 429, { error: 'x', code: 'rate_limited', retryAfter: 60 }),
  )
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 60 })
  expect(refreshes()).toBe(1)
  expect(onEvicted).not.toHaveBeenCalled()
})

test('a server that keeps failing fails the call but does not end the session', async () => {
  const { api, onEvicted } = await fixture((_, response) => json(response, 503, { error: 'x', code: 'unavailable' }))
  api.signIn(old)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ status: 503 })
  expect(onEvicted).not.toHaveBeenCalled()
  expect(api.isSignedIn()).toBe(true)
})

test('a wrong password does not cause a refresh', async () => {
  const { api, seen } = await fixture(grant, (_, response) =>
    json(response, 401, { error: 'Invalid email or password', code: 'invalid_credentials' }),
  )
  await expect(api.call(login, { body: { email: 'a@b.c', password: 'x' } })).rejects.toMatchObject({
    code: 'invalid_credentials',
  })
  expect(seen).toEqual(['POST /api/v1/auth/login'])
})

test('parameters and query are encoded, and missing values are left out', async () => {
  const { api, seen } = await fixture(grant, (_, response) => json(response, 200, {}))
  await api.call(readDevice, { params: { id: 'a/../b' } })
  await api.call(listDevices, { query: { search: 'x&y=1', status: undefined, page: '2' } })
  expect(seen).toEqual(['GET /api/v1/devices/a%2F..%2Fb', 'GET /api/v1/devices?search=x%26y%3D1&page=2'])
})

test('an error carries fields, request id and waiting time', async () => {
  const { api } = await fixture(grant, (_, response) =>
    json(
      response,
      429,
      { error: 'Too many', code: 'rate_limited', requestId: 'r-1', details: { fieldErrors: { email: ['Bad'] } } },
      { 'retry-after': '7' },
    ),
  )
  const error = await api.call(authMe, {}).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ requestId: 'r-1', retryAfter: 7, fieldErrors: { email: ['Bad'] } })
})

test("an answer that is not the appliance's own is reported as such", async () => {
  const { api } = await fixture(grant, (_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  })
  await expect(api.call(authMe, {})).rejects.toMatchObject({ status: 502, code: 'unexpected' })
})

const withoutServer = () =>
  new ApiClient({
    origin: 'http://127.0.0.1:1',
    readCsrfToken: () => undefined,
    onEvicted: () => {},
    onBarred: () => {},
  })

test('no server at all is a network error', async () => {
  const api = withoutServer()
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code: 'network', isTransient: true })
})

test('during a sign-in, nothing is refreshed with the cookie of the session before', async () => {
  const { api, refreshes } = await fixture(grantTo(others))
  const arrived = Promise.withResolvers<void>()
  const arrival = api.insteadOfRefresh(async () => {
    await arrived.promise
    api.signIn(good)
  })
  const asked = [api.restore(), api.renew()]
  arrived.resolve()
  await arrival
  expect([await Promise.all(asked), refreshes(), api.token()]).toEqual([[true, true], 0, good])
})

test('after a failed sign-in, the cookie of the session before can be refreshed again', async () => {
  const { api, refreshes } = await fixture(grant)
  const arrival = api.insteadOfRefresh(() => Promise.reject(new ApiError(400, 'sso_exchange_invalid')))
  const asked = api.restore()
  await expect(arrival).rejects.toMatchObject({ code: 'sso_exchange_invalid' })
  expect([await asked, refreshes()]).toEqual([false, 0])
  expect([await api.restore(), refreshes(), api.token()]).toEqual([true, 1, good])
})

test('restoring asks nothing of the server when there is no cookie', async () => {
  const api = withoutServer()
  expect(await api.restore()).toBe(false)
})

test.each([
  [428, 'mfa_enrollment_required', 'unenrolled'],
  [403, 'PARTNER_INACTIVE', 'inactive'],
  [403, 'TENANT_INACTIVE', 'inactive'],
  [403, 'PARTNER_NOT_FOUND', 'inactive'],
  // A page of its own explains that changing the address needs a factor.
  [403, 'mfa_enrollment_required', null],
  [428, 'session_replacement_unavailable', null],
  [403, 'permission_denied', null],
])('%i %s restricts the session: %s', async (status, code, bar) => {
  const { api, onBarred, onEvicted } = await fixture(grant, (_, response) =>
    json(response, status, { error: 'no', code, actionUrl: 'https://pay.test' }),
  )
  api.signIn(good)
  const error = await api.call(authMe, {}).catch((thrown: unknown) => thrown)
  expect(onBarred.mock.calls).toEqual(bar ? [[bar]] : [])
  expect(onEvicted).not.toHaveBeenCalled()
  expect((error as ApiError).body.actionUrl).toBe('https://pay.test')
})

test.each([
  ['permission_denied', 1],
  ['full_partner_org_access_required', 1],
  ['last_admin', 0],
])('403 %s calls onRefused %i times', async (code, times) => {
  const { api, onRefused } = await fixture(grant, (_, response) => json(response, 403, { error: 'no', code }))
  api.signIn(good)
  await expect(api.call(authMe, {})).rejects.toMatchObject({ code })
  expect(onRefused).toHaveBeenCalledTimes(times)
})
