import { type FastifyInstance, fastify } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Http } from '../../server/platform/http/http.ts'
import { RateLimits } from '../../server/platform/rate-limit.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { type Access, endpoint, publicAccess, userAccess } from '../../shared/endpoint.ts'
import { directClients } from '../helpers/clients.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { freshDatabase } from '../helpers/test-app.ts'

function bareHttp(): { app: FastifyInstance; http: Http } {
  const app = fastify()
  const nobody = () => {
    throw new Error('nobody signs in here')
  }
  const limits = new RateLimits(freshDatabase(), new FakeClock())
  return {
    app,
    http: new Http(app, { user: nobody, device: nobody }, limits, directClients, { isTwoFactorEnabled: true }),
  }
}

const ping = endpoint({
  name: 'test.ping',
  method: 'GET',
  path: '/ping',
  summary: 'Answers',
  access: publicAccess,
  reply: z.object({ ok: z.boolean() }),
})

test('a route that names no access stops the start, whichever way it is made', () => {
  const { app } = bareHttp()
  const handler = async () => ({})
  expect(() => app.route({ method: 'GET', url: '/a', handler })).toThrow('GET /a names no access')
  expect(() => app.post('/b', handler)).toThrow('POST /b names no access')
  expect(() => app.route({ method: 'GET', url: '/c', config: {}, handler })).toThrow('names no access')
})

test('a route of a plugin that names no access stops the start too', async () => {
  const { app } = bareHttp()
  app.register(async (inner) => {
    inner.get('/inside', async () => ({}))
  })
  await expect(app.ready()).rejects.toThrow('GET /inside names no access')
})

test('a contract without access, or mounted for another kind of caller, stops the start', () => {
  const { http } = bareHttp()
  const open = { ...ping, access: undefined as unknown as Access }
  expect(() => http.public(open, () => ({ ok: true }))).toThrow('test.ping is mounted for public')
  expect(() => http.user(ping, () => ({ ok: true }))).toThrow('its contract says public')
  expect(() => http.public({ ...ping, access: userAccess() }, () => ({ ok: true }))).toThrow('its contract says user')
})

test('a contract without a route stops the start, and so does a route without a listed contract', () => {
  const { http } = bareHttp()
  expect(() => http.assertComplete([ping])).toThrow('No route for test.ping')
  http.public(ping, () => ({ ok: true }))
  expect(() => http.assertComplete([ping])).not.toThrow()
  expect(() => http.assertComplete([])).toThrow('Not in the list of contracts: test.ping')
})

test('names and addresses of endpoints are unique', () => {
  const names = allEndpoints.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const addresses = allEndpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([])
})

test('every endpoint that writes as a user names its audit action, except the listed ones', () => {
  // Write nothing anybody would ask about later: a setup or a challenge that another endpoint confirms, or nothing at all.
  const silent = [
    'auth.mfa-setup',
    'auth.mfa-step-up-options',
    'auth.passkey-register-options',
    'partners.preview-security',
    'organizations.merge-preview',
    'device-groups.preview',
    'device-groups.preview-rule',
    'backup-restores.preview',
    'psa.sync',
    'contacts.import-preview',
  ]
  const unnamed = allEndpoints
    .filter(({ access, method, audit }) => access.who === 'user' && method !== 'GET' && audit === null)
    .map(({ name }) => name)
  expect(unnamed).toEqual(silent)
})
