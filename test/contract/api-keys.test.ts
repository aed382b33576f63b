import { expect, test } from 'vitest'
import { apiKeyScopes } from '../../shared/api/api-keys.ts'
import { grantableScopes } from '../../shared/api/in-use.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint, UserAccess } from '../../shared/endpoint.ts'
import { grantName } from '../../shared/permissions.ts'
import { apiKeyOf, member } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { bodyOf, forUsers, paramsOf, queryOf, send } from './kit.ts'
import { contents, twoCompanies, withoutLimits } from './stage.ts'

/** Where an API key is accepted: a walk over every endpoint there is. */

const accessOf = (endpoint: Endpoint) => endpoint.access as UserAccess
const open = forUsers.filter((endpoint) => accessOf(endpoint).byKey)
const closed = forUsers.filter((endpoint) => !accessOf(endpoint).byKey)
const { 'ai:execute_admin': _, ...ordinary } = apiKeyScopes
const ofScopes = new Set(Object.values(ordinary).flatMap((grants) => grants.map(grantName)))

test('endpoints that accept keys are about data of organizations, have a scope and need no second factor', () => {
  expect(open.length).toBeGreaterThan(20)
  for (const { name, path, access } of open) {
    const { permission, mfa, platformAdmin, scopes } = access as UserAccess
    expect(ofScopes, name).toContain(permission)
    expect([mfa, platformAdmin, scopes.includes('organization')], name).toEqual([undefined, undefined, true])
    expect(path, name).toMatch(
      /^\/(devices|device-groups|users)(\/|$)|^\/agents\/(quarantined|:deviceId\/(approve|deny))$/,
    )
    expect(path, name).not.toMatch(/^\/users\/(me|roles)(\/|$)/)
  }
})

test('each scope requires and grants the permissions of the reference', () => {
  const plain = 'devices:read,write,execute scripts:read,write,execute alerts:read,write reports:read,write users:read'
  const own = plain.split(' ').flatMap((part) => {
    const [resource, actions = ''] = part.split(':')
    return actions.split(',').map((action) => `${resource}:${action}`)
  })
  const of = (action: string) => ['devices', 'alerts', 'scripts', 'automations'].map((one) => `${one}:${action}`)
  expect(Object.entries(apiKeyScopes).map(([scope, grants]) => [scope, grants.map(grantName)])).toEqual([
    ...own.map((scope) => [scope, [scope]]),
    ['ai:read', of('read')],
    ['ai:write', of('write')],
    ['ai:execute', ['devices:execute', 'scripts:execute']],
    ['ai:execute_admin', ['*:*']],
  ])
})

/** A key with every scope, of an administrator who may do everything and has just shown a second factor. */
async function withAlmightyKey() {
  const app = await testApp({ env: withoutLimits })
  const { own, ids: walked } = await twoCompanies(app)
  const user = await member(app, { email: 'member@x.test', scope: 'organization', orgId: own.org.id })
  const ids = { ...walked, user: user.id }
  const { key } = await apiKeyOf(app, own.admin.token, own.org.id, grantableScopes)
  const headers = { 'x-api-key': key }
  const ask = (endpoint: Endpoint) =>
    send(app, endpoint, {
      params: paramsOf(endpoint, ids),
      query: queryOf(endpoint, ids),
      body: bodyOf(endpoint, ids),
      headers,
    })
  return { app, ask, key, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('a key with every scope is refused by all other endpoints, and changes nothing there', async () => {
  await using scene = await withAlmightyKey()
  const { app, ask } = scene
  const before = await contents(app)
  for (const endpoint of closed) {
    const { status, body, response } = await ask(endpoint)
    const refusal = accessOf(endpoint).mfa ? [403, 'MFA_REQUIRED'] : [401, 'api_key_not_accepted']
    expect([status, body?.code], endpoint.name).toEqual(refusal)
    expect(response.headers, endpoint.name).toMatchObject({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
    })
  }
  const { api_keys: _keys, ...after } = await contents(app)
  expect(before).toMatchObject(after)
})

test('a key with every scope is let in by each endpoint that accepts keys', async () => {
  await using scene = await withAlmightyKey()
  for (const endpoint of open) {
    const { status, body, response } = await scene.ask(endpoint)
    expect([401, 403, 428], `${endpoint.name}: ${body?.code}`).not.toContain(status)
    if (endpoint.method === 'GET') expect([endpoint.name, status]).toEqual([endpoint.name, endpoint.status])
    expect(response.headers, endpoint.name).toHaveProperty('x-ratelimit-remaining')
  }
})

test('a key is no device on agent endpoints, and no user on public ones', async () => {
  await using scene = await withAlmightyKey()
  for (const endpoint of allEndpoints.filter(({ access }) => access.who === 'agent'))
    expect((await scene.ask(endpoint)).status, endpoint.name).toBe(401)
  // Public endpoints that authenticate some callers.
  const named = (wanted: string) => allEndpoints.find(({ name }) => name === wanted) as Endpoint
  const headers = { 'x-api-key': scene.key }
  for (const [name, more] of [
    ['auth.mfa-verify', { body: { code: '123456' } }],
    ['system.metrics', { remoteAddress: '192.0.2.9' }],
  ] as const) {
    const { status, body } = await send(scene.app, named(name), { headers, ...more })
    expect([status, body.code], name).toEqual([401, 'api_key_not_accepted'])
  }
})
