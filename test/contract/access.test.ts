import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Access, Endpoint } from '../../shared/endpoint.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { company, person } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { forAgents, forUsers, guarded, isAboveCompanies, send } from './kit.ts'
import { contents, omnipotent, regrant, twoCompanies } from './stage.ts'

type UserAccess = Extract<Access, { who: 'user' }>
const accessOf = (endpoint: Endpoint) => endpoint.access as UserAccess
const bodyFor = (endpoint: Endpoint) => (endpoint.body ? {} : undefined)

/** Endpoints without a caller. A new one is a decision for the review. */
const openToAnybody = {
  'signs somebody in who is nobody yet': [
    'auth.login',
    'auth.passkey-login',
    'auth.passkey-login-options',
    'sso.login',
    'sso.login-partner',
  ],
  'brings a state, or a code, that this appliance gave to the same browser': ['sso.callback', 'sso.exchange'],
  'answers a challenge; its token is the proof that the password was right': [
    'auth.mfa-passkey-options',
    'auth.mfa-passkey-verify',
    'auth.mfa-sms-send',
    // Without a challenge it asks for a bearer.
    'auth.mfa-verify',
  ],
  'brings a cookie instead of a bearer': ['auth.refresh'],
  'is for people who cannot sign in yet or any more, and does not tell who has an account': [
    'auth.forgot-password',
    'auth.register',
    'auth.register-partner',
  ],
  'brings the token of a mail': [
    'auth.accept-invite',
    'auth.check-reset-link',
    'auth.check-unlock-link',
    'auth.invite-preview',
    'auth.reset-password',
    'auth.unlock',
    'auth.verify-email',
    'backup-downloads.fetch',
  ],
  'always refuses': ['auth.invite-preview-by-url'],
  'brings a secret of its own': ['agents.enroll', 'system.bootstrap'],
  'asks for a platform admin, except on the machine itself': ['system.metrics'],
  'is needed before anybody can sign in, and says nothing about anybody': [
    'auth.login-context',
    'auth.sso-discovery',
    'config.read',
    'sso.check',
    'system.agent-file',
    'system.bootstrap-state',
    'system.ca-certificate',
    'system.health',
    'system.openapi',
  ],
}

test('only the endpoints of this list are public', () => {
  const names = allEndpoints.filter(({ access }) => access.who === 'public').map(({ name }) => name)
  expect(names.sort()).toEqual(Object.values(openToAnybody).flat().sort())
})

test('every endpoint that is not public answers 401 without a valid token, and changes no row', async () => {
  await using app = await testApp()
  await company(app)
  const before = await contents(app)
  for (const endpoint of guarded)
    for (const token of [undefined, 'x', 'brz_0000', 'eyJhbGciOiJub25lIn0.e30.']) {
      const { status, body } = await send(app, endpoint, { body: bodyFor(endpoint), ...(token && { token }) })
      expect(status, `${endpoint.name} with ${token ?? 'no'} bearer`).toBe(401)
      expect(body.error, endpoint.name).toEqual(expect.any(String))
    }
  expect(await contents(app)).toEqual(before)
})

test('a device token is 401 on user endpoints, and a user token is 401 on agent endpoints', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const before = await contents(app)
  for (const endpoint of forUsers) {
    const { status } = await send(app, endpoint, { body: bodyFor(endpoint), token: device.authToken })
    expect(status, endpoint.name).toBe(401)
  }
  for (const endpoint of forAgents) {
    const params = { agentId: device.agentId, commandId: 'x' }
    const { status } = await send(app, endpoint, { params, body: bodyFor(endpoint), token: admin.token })
    expect(status, endpoint.name).toBe(401)
  }
  expect(await contents(app)).toEqual(before)
})

test('a caller of the wrong scope is refused before anything else is checked', async () => {
  await using app = await testApp()
  const { own } = await twoCompanies(app)
  const callers = {
    system: (await omnipotent(app, { email: 'sys@x.test', scope: 'system' })).token,
    partner: own.admin.token,
    organization: (await omnipotent(app, { email: 'org@x.test', scope: 'organization', orgId: own.org.id })).token,
  }
  const before = await contents(app)
  let refused = 0
  for (const endpoint of forUsers)
    for (const scope of ['system', 'partner', 'organization'] as const) {
      if (accessOf(endpoint).scopes.includes(scope)) continue
      const { status, body } = await send(app, endpoint, { body: bodyFor(endpoint), token: callers[scope] })
      expect([status, body.error], `${endpoint.name} as ${scope}`).toEqual([403, 'Insufficient permissions'])
      refused++
    }
  expect(refused).toBeGreaterThan(0)
  expect(await contents(app)).toEqual(before)
})

test('a caller who lacks just the one permission is refused, whatever the body', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const role = { name: 'Partner Viewer', scope: 'partner' }
  const { token } = await person(app, {
    email: 'v@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: role.name,
  })
  const wanted = new Map<string, Endpoint[]>()
  for (const endpoint of forUsers) {
    const { permission, or } = accessOf(endpoint)
    const either = [permission, or].filter(Boolean).join(' or ')
    // Operators have every permission.
    if (either && !isAboveCompanies(endpoint)) wanted.set(either, [...(wanted.get(either) ?? []), endpoint])
  }
  for (const [either, endpoints] of wanted) {
    const others = allPermissions.filter((one) => !either.split(' or ').includes(one))
    regrant(app, role, others)
    const before = await contents(app)
    for (const endpoint of endpoints) {
      const { status, body } = await send(app, endpoint, { body: bodyFor(endpoint), token })
      expect([status, body.error], `${endpoint.name} without ${either}`).toEqual([403, 'Permission denied'])
    }
    expect(await contents(app)).toEqual(before)
  }
  regrant(app, role, [])
  const [any] = [...wanted.values()].flat()
  expect((await send(app, any as Endpoint, { token })).body.error).toBe('No permissions found')
})

test('endpoints for platform admins answer 403 to other users', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const { token } = await person(app, { email: 'p@x.test', scope: 'partner', partnerId: admin.partnerId })
  const endpoints = forUsers.filter((endpoint) => accessOf(endpoint).platformAdmin)
  expect(endpoints.length).toBeGreaterThan(0)
  for (const endpoint of endpoints) {
    const { status, body } = await send(app, endpoint, { params: { name: 'sessions.prune' }, token })
    expect([status, body.error], endpoint.name).toEqual([403, 'platform admin access required'])
  }
})

test('a session that has not shown the second factor of its user gets 403 MFA_REQUIRED where one is needed', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  // Held, but not shown in this session, as after a sign-in by another way.
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }))
  const marked = forUsers.filter((endpoint) => accessOf(endpoint).mfa)
  expect(marked.length).toBeGreaterThan(0)
  const before = await contents(app)
  for (const endpoint of marked) {
    const { status, body } = await send(app, endpoint, {
      params: { id: device.deviceId },
      body: bodyFor(endpoint),
      token: isAboveCompanies(endpoint) ? operator.token : admin.token,
    })
    expect([status, body.code], endpoint.name).toEqual([403, 'MFA_REQUIRED'])
  }
  expect(await contents(app)).toEqual(before)
})

test('a strict endpoint answers MFA_REQUIRED also to users who hold no factor', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  for (const endpoint of forUsers.filter((one) => accessOf(one).mfa === 'strict')) {
    const { token } = isAboveCompanies(endpoint) ? operator : admin
    expect((await send(app, endpoint, { token })).body.code, endpoint.name).toBe('MFA_REQUIRED')
  }
})
