import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { logout, revokeOtherSessions } from '../../shared/api/auth.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { updateUser } from '../../shared/api/people.ts'
import { deleteSsoIdentity, listSsoIdentities, listSsoLinkOptions, startSsoLink } from '../../shared/api/sso-links.ts'
import { deleteSsoProvider, setSsoProviderStatus, updateSsoProvider } from '../../shared/api/sso-providers.ts'
import { member, organizationOf, otherCompany, password, person } from '../helpers/factories.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { SsoBrowser } from '../helpers/sso-browser.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { enforcingProvider, setProvider } from '../helpers/sso-rows.ts'
import { withFactor } from './kit.ts'

let scene: SsoScene
/** Alice at her computer, signed in with her password. */
let token: string
let browser: SsoBrowser

beforeAll(async () => {
  scene = await ssoScene({ env: { HOMEPORT_LIMIT_SSO_LOGIN_TARGET: '0/1' } })
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(async () => {
  const { app, alice, provider } = scene
  app.db.run(q.deleteFrom('user_sso_identities'))
  app.db.run(q.updateTable('users').set({ status: 'active' }).where('id', '=', alice.id))
  setProvider(app, provider.id, { status: 'active', enforce_sso: 0, allowed_domains: null })
  scene.idp.signsIn = null
  scene.idp.people.alice = { email: 'alice@corp.test', email_verified: true, name: 'Alice Archer' }
  token = await sessionOf(app, alice.id)
  browser = scene.browser()
})

const identityRows = () => scene.app.db.all(q.selectFrom('user_sso_identities').selectAll())
const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]
const lastAudit = (action: string) => auditOf(scene.app, action).at(-1)

const begin = (by = token, providerId = scene.provider.id) =>
  scene.app.call(startSsoLink, { params: { providerId } }, { token: by })

/** Starts connecting as a page of the console does: the cookie stays in the browser. */
async function start(by = token, providerId = scene.provider.id): Promise<string> {
  const response = await browser.inject({
    method: 'POST',
    url: `/api/v1/sso/link/start/${providerId}`,
    headers: { authorization: `Bearer ${by}` },
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ authUrl: string }>().authUrl
}

/** To the provider and back, up to the callback, which is visited after `meanwhile`. */
async function connect(meanwhile: () => unknown = () => {}): Promise<string> {
  const callback = await browser.callbackFrom(await start())
  await meanwhile()
  return (await browser.visit(callback)).path
}

const connected = '/settings/profile?ssoLinked=1'
const refusedWith = (code: string) => `/settings/profile?ssoLinkError=${code}`

describe('connecting an account', () => {
  test('a round trip to the provider connects the account and starts no session', async () => {
    const { app, alice, provider, org, admin } = scene
    const sessions = () => app.db.all(q.selectFrom('sessions').select('id')).length
    const before = sessions()
    const authUrl = new URL(await start())
    expect(authUrl.searchParams.get('login_hint')).toBe(alice.email)
    const row = app.db.first(q.selectFrom('sso_sessions').selectAll().orderBy('created_at', 'desc'))
    expect(row).toMatchObject({ mode: 'link', link_user_id: alice.id, redirect_url: '/settings/profile' })
    const landing = await browser.visit(authUrl)
    expect(landing.path).toBe(connected)
    expect(landing.headers.getSetCookie().map((cookie) => cookie.split(';')[0])).toEqual(['svc_sso_state='])
    expect(identityRows()).toMatchObject([
      { user_id: alice.id, provider_id: provider.id, external_id: 'alice', email: alice.email, last_login_at: null },
    ])
    for (const column of ['access_token', 'refresh_token', 'profile'] as const)
      expect(identityRows()[0]?.[column]?.includes('eyJ') ?? false).toBe(false)
    expect(sessions()).toBe(before)
    expect(app.db.all(q.selectFrom('sso_exchange_grants').select('id'))).toEqual([])
    const about = { org_id: org.id, partner_id: admin.partnerId, resource_id: provider.id, actor_id: alice.id }
    for (const action of ['sso.identity.link_started', 'sso.identity.linked'])
      expect(lastAudit(action)).toMatchObject({ ...about, result: 'success' })

    const [mine] = (await app.call(listSsoIdentities, {}, { token })).body.data
    expect(mine).toEqual({
      id: identityRows()[0]?.id,
      providerId: provider.id,
      providerName: 'Corp sign-in',
      providerType: 'oidc',
      email: alice.email,
      lastLoginAt: null,
      createdAt: expect.any(String),
    })
    expect((await app.call(listSsoLinkOptions, {}, { token })).body.data).toEqual([
      { id: provider.id, name: 'Corp sign-in', type: 'oidc', linked: true },
    ])
    const others = await person(app, { email: 'other@corp.test', scope: 'organization', orgId: org.id })
    expect((await app.call(listSsoIdentities, {}, others)).body.data).toEqual([])
    expect((await app.call(listSsoLinkOptions, {}, others)).body.data).toMatchObject([{ linked: false }])
  })

  test('connecting the same identity again succeeds and changes nothing', async () => {
    await connect()
    const before = identityRows()
    const events = auditOf(scene.app, 'sso.identity.linked').length
    scene.app.clock.advance(1000)
    expect(await connect()).toBe(connected)
    expect(identityRows()).toEqual(before)
    expect(auditOf(scene.app, 'sso.identity.linked')).toHaveLength(events)
  })

  test('a provider in testing can be connected', async () => {
    setProvider(scene.app, scene.provider.id, { status: 'testing' })
    expect((await scene.app.call(listSsoLinkOptions, {}, { token })).body.data).toHaveLength(1)
    expect(await connect()).toBe(connected)
  })

  test('a provider that does not say whether the address is verified is accepted, as the session proves the person', async () => {
    scene.idp.people.alice = { email: 'alice@corp.test', name: 'Alice' }
    expect(await connect()).toBe(connected)
  })

  test('a callback in another browser connects nothing', async () => {
    const callback = await browser.callbackFrom(await start())
    const landing = await scene.browser().visit(callback)
    expect(landing.path).toBe('/login?error=session_expired')
    expect(identityRows()).toEqual([])
    expect((await browser.visit(callback)).path, 'and costs the right one nothing').toBe(connected)
  })

  test('connecting must start at the address to which the provider returns', async () => {
    const elsewhere = await scene.app.call(
      startSsoLink,
      { params: { providerId: scene.provider.id } },
      { token, headers: { origin: 'https://192.168.0.7:8443' } },
    )
    expect(codes(elsewhere)).toEqual([409, 'sso_link_elsewhere'])
    expect(elsewhere.body).toMatchObject({
      address: 'https://homeport.test',
      error: expect.stringContaining('Open https://homeport.test to connect'),
    })
    expect(elsewhere.cookies).toEqual([])
  })
})

describe('connecting fails', () => {
  const rejected = (reason: string) => ({ result: 'denied', resource_id: scene.provider.id, details: { reason } })

  test.each<[why: string, reason: string, meanwhile: () => unknown]>([
    ['signed out', 'auth_epoch_changed', () => scene.app.call(logout, {}, { token })],
    [
      'the session was ended from another',
      'session_ended',
      async () => scene.app.call(revokeOtherSessions, {}, { token: await sessionOf(scene.app, scene.alice.id) }),
    ],
    [
      'another password',
      'auth_epoch_changed',
      () =>
        scene.app.call(
          changePassword,
          { body: { currentPassword: password, newPassword: 'Another1Horse' } },
          { token },
        ),
    ],
    [
      'the factors changed',
      'mfa_epoch_changed',
      () =>
        scene.app.db.run(
          q
            .updateTable('users')
            .set((set) => ({ mfa_epoch: set('mfa_epoch', '+', 1) }))
            .where('id', '=', scene.alice.id),
        ),
    ],
    [
      'the account was disabled',
      'user_inactive',
      async () => {
        const operator = await person(scene.app, { email: `root${Date.now()}@x.test`, scope: 'system' })
        const body = { status: 'disabled' as const }
        await scene.app.call(updateUser, { params: { id: scene.alice.id }, body }, operator)
      },
    ],
  ])('%s', async (_, reason, meanwhile) => {
    expect(await connect(meanwhile)).toBe(refusedWith('session_invalid'))
    expect(identityRows()).toEqual([])
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected(reason))
    expect(lastAudit('sso.identity.link_rejected')?.actor_id).toBe(scene.alice.id)
  })

  test('when the session has expired', async () => {
    const ended = q
      .updateTable('sessions')
      .set({ expires_at: new Date(scene.app.clock.now()).toISOString() })
      .where('user_id', '=', scene.alice.id)
    expect(await connect(() => scene.app.db.run(ended))).toBe(refusedWith('session_invalid'))
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected('session_expired'))
  })

  test('when the user is no longer a member of the organization', async () => {
    const membership = scene.app.db.first(
      q.selectFrom('organization_users').selectAll().where('user_id', '=', scene.alice.id),
    )
    const leave = () => scene.app.db.run(q.deleteFrom('organization_users').where('user_id', '=', scene.alice.id))
    expect(await connect(leave)).toBe(refusedWith('session_invalid'))
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected('membership_lost'))
    scene.app.db.run(q.insertInto('organization_users').values(membership as never))
  })

  function remove(userId: string): void {
    const { db } = scene.app
    for (const table of ['organization_users', 'sessions'] as const)
      db.run(q.deleteFrom(table).where('user_id', '=', userId))
    db.run(q.deleteFrom('users').where('id', '=', userId))
  }

  test('when the user is deleted, without signing in or creating anybody', async () => {
    const { app, org, idp } = scene
    const mona = await member(app, { email: 'mona@corp.test', scope: 'organization', orgId: org.id })
    idp.people.mona = { email: mona.email, email_verified: true, name: 'Mona' }
    const callback = await browser.callbackFrom(await start(await sessionOf(app, mona.id)))
    remove(mona.id)
    const before = app.rowCounts()
    const landing = await browser.visit(callback)
    expect(landing.path).toBe(refusedWith('user_gone'))
    const { users, sessions, user_sso_identities, sso_exchange_grants } = before
    expect(app.rowCounts()).toMatchObject({ users, sessions, user_sso_identities, sso_exchange_grants })
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject({ ...rejected('user_gone'), actor_type: 'system' })
  })

  test('when the user is deleted and the provider declines, still without a sign-in', async () => {
    const { app, org } = scene
    const { id } = await member(app, { email: 'nobody@corp.test', scope: 'organization', orgId: org.id })
    const callback = await browser.callbackFrom(await start(await sessionOf(app, id)))
    expect(callback.searchParams.get('error')).toBe('access_denied')
    remove(id)
    expect((await browser.visit(callback)).path).toBe(refusedWith('sso_error'))
  })

  test('when the identity has another address, compared without case', async () => {
    scene.idp.signsIn = 'bob'
    expect(await connect()).toBe(refusedWith('email_mismatch'))
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected('email_mismatch'))
    scene.idp.people.alice = { email: 'Alice@CORP.test', email_verified: true, name: 'Alice' }
    scene.idp.signsIn = 'alice'
    expect(await connect()).toBe(connected)
  })

  test('when the identity belongs to another user, or the account has another identity there', async () => {
    const { app, org, alice, idp } = scene
    await connect()
    const bob = await member(app, { email: 'robert@corp.test', scope: 'organization', orgId: org.id })
    app.db.run(q.updateTable('user_sso_identities').set({ user_id: bob.id }))
    expect(await connect()).toBe(refusedWith('identity_in_use'))
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected('subject_of_another_user'))
    app.db.run(q.updateTable('user_sso_identities').set({ user_id: alice.id }))
    idp.people['made-anew'] = { email: alice.email, email_verified: true, name: 'Alice' }
    idp.signsIn = 'made-anew'
    expect(await connect()).toBe(refusedWith('identity_in_use'))
    expect(lastAudit('sso.identity.link_rejected')).toMatchObject(rejected('other_subject_connected'))
    expect(identityRows()).toMatchObject([{ external_id: 'alice', user_id: alice.id }])
  })

  test('when the provider is changed or switched off, even if it is switched on again', async () => {
    const { app, admin, provider } = scene
    const params = { id: provider.id }
    const rename = () => app.call(updateSsoProvider, { params, body: { name: 'Corp sign-in' } }, admin)
    expect(await connect(rename)).toBe(refusedWith('config_changed'))
    const set = (status: 'active' | 'inactive') => app.call(setSsoProviderStatus, { params, body: { status } }, admin)
    expect(await connect(() => set('inactive'))).toBe(refusedWith('provider_inactive'))
    await set('active')
    const offAndOn = async () => [await set('inactive'), await set('active')]
    expect(await connect(offAndOn)).toBe(refusedWith('config_changed'))
    expect(identityRows()).toEqual([])
  })

  test('when the provider says that the address is not verified', async () => {
    scene.idp.people.alice = { email: scene.alice.email, email_verified: false, name: 'Alice' }
    expect(await connect()).toBe(refusedWith('email_unverified'))
  })

  test('for a domain not on the list, a provider that declines, and an organization that closes', async () => {
    const { app, provider, org, idp } = scene
    setProvider(app, provider.id, { allowed_domains: 'other.test' })
    expect(await connect()).toBe(refusedWith('domain_not_allowed'))
    setProvider(app, provider.id, { allowed_domains: null })
    idp.signsIn = 'nobody-of-that-name'
    expect(await connect()).toBe(refusedWith('sso_error'))
    idp.signsIn = null
    const close = (status: 'suspended' | 'active') =>
      app.db.run(q.updateTable('organizations').set({ status }).where('id', '=', org.id))
    expect(await connect(() => close('suspended'))).toBe(refusedWith('tenant_inactive'))
    close('active')
    expect(identityRows()).toEqual([])
  })
})

describe('providers available for connecting', () => {
  test("are those of one's organization or company, and none for operators", async () => {
    const { app, admin, idp, provider } = scene
    const ofPartner = await readyProvider(app, admin.token, idp, { ownerScope: 'partner', name: 'Staff' })
    const sister = await organizationOf(app, admin.token, 'Hamburg')
    const ofSister = enforcingProvider(app, { orgId: sister.id })
    const other = await otherCompany(app)
    const foreign = [
      enforcingProvider(app, { orgId: other.org.id }),
      enforcingProvider(app, { partnerId: other.partnerId }),
    ]
    const operator = await person(app, { email: 'root@x.test', scope: 'system' })
    const optionsOf = async (by: string) =>
      (await app.call(listSsoLinkOptions, {}, { token: by })).body.data.map(({ id }) => id)
    expect(await optionsOf(token)).toEqual([provider.id])
    expect(await optionsOf(admin.token)).toEqual([ofPartner.id])
    expect(await optionsOf(operator.token)).toEqual([])
    for (const [by, id] of [
      [token, ofPartner.id],
      [token, ofSister],
      [admin.token, provider.id],
      [operator.token, provider.id],
    ] as const)
      expect(codes(await begin(by, id))).toEqual([403, 'sso_link_denied'])
    for (const id of [...foreign, crypto.randomUUID()])
      for (const by of [token, admin.token]) expect(codes(await begin(by, id))).toEqual([404, 'sso_provider_not_found'])
    expect((await begin(admin.token, ofPartner.id)).status).toBe(200)
    await app.call(deleteSsoProvider, { params: { id: ofPartner.id } }, admin)
  })

  test('must be active, and SAML and incomplete providers are refused with a message', async () => {
    const { app, org, provider } = scene
    setProvider(app, provider.id, { status: 'inactive' })
    expect((await app.call(listSsoLinkOptions, {}, { token })).body.data).toEqual([])
    expect(codes(await begin())).toEqual([404, 'sso_provider_not_found'])
    const saml = enforcingProvider(app, { orgId: org.id }, { type: 'saml' })
    expect((await begin(token, saml)).body.error).toBe('Only OIDC linking is currently supported')
    setProvider(app, saml, { type: 'oidc' })
    expect((await begin(token, saml)).body.error).toBe('Provider is not fully configured')
    const before = app.rowCounts().sso_sessions
    setProvider(app, saml, {
      issuer: 'https://10.0.0.1',
      client_id: 'x',
      client_secret: 'not a sealed secret',
      authorization_url: 'https://10.0.0.1/authorize',
      token_url: 'https://10.0.0.1/token',
      jwks_url: 'https://10.0.0.1/keys',
    })
    const unsafe = await begin(token, saml)
    expect([unsafe.status, unsafe.body.error, unsafe.cookies]).toEqual([
      400,
      'SSO provider configuration is invalid',
      [],
    ])
    expect(app.rowCounts().sso_sessions).toBe(before)
    app.db.run(q.deleteFrom('sso_providers').where('id', '=', saml))
  })

  test('need the second factor of a user who has one', async () => {
    const { app, org } = scene
    const fay = await person(app, { email: 'fay@corp.test', scope: 'organization', orgId: org.id })
    await withFactor(app, fay.token)
    const plain = await sessionOf(app, fay.id)
    expect(codes(await begin(plain))).toEqual([403, 'MFA_REQUIRED'])
    expect((await begin(await sessionOf(app, fay.id, 'totp'))).status).toBe(200)
  })
})

describe('disconnecting an account', () => {
  const disconnect = (id = identityRows()[0]?.id ?? '', by = token) =>
    scene.app.call(deleteSsoIdentity, { params: { id } }, { token: by })
  const setAlice = (values: { password_hash: string | null }) =>
    scene.app.db.run(q.updateTable('users').set(values).where('id', '=', scene.alice.id))
  const hashOf = () =>
    scene.app.db.first(q.selectFrom('users').select('password_hash').where('id', '=', scene.alice.id))?.password_hash

  test("removes the connection, keeps sessions, and works only for one's own", async () => {
    const { app, alice, org } = scene
    await connect()
    const other = await person(app, { email: `o${Date.now()}@corp.test`, scope: 'organization', orgId: org.id })
    expect(codes(await disconnect(undefined, other.token))).toEqual([404, 'sso_identity_not_found'])
    const elsewhere = await sessionOf(app, alice.id)
    expect((await disconnect()).body).toEqual({ success: true })
    expect(identityRows()).toEqual([])
    for (const bearer of [token, elsewhere])
      expect((await app.call(listSsoIdentities, {}, { token: bearer })).status).toBe(200)
    expect(lastAudit('sso.identity.unlinked')).toMatchObject({ resource_id: scene.provider.id, actor_id: alice.id })
    expect((await disconnect('01900000-0000-7000-8000-00000000dead')).status).toBe(404)
  })

  test('is refused for the last way to sign in', async () => {
    const { app, org } = scene
    await connect()
    const hash = hashOf() ?? null
    setAlice({ password_hash: null })
    expect(codes(await disconnect())).toEqual([409, 'last_sign_in_method'])
    setAlice({ password_hash: hash })
    const other = enforcingProvider(app, { orgId: org.id })
    expect(codes(await disconnect())).toEqual([409, 'last_sign_in_method'])
    const now = new Date(app.clock.now()).toISOString()
    const second = { id: crypto.randomUUID(), user_id: scene.alice.id, provider_id: other, external_id: 'a' }
    app.db.run(q.insertInto('user_sso_identities').values({ ...second, created_at: now, updated_at: now }))
    setProvider(app, other, { status: 'inactive' })
    setAlice({ password_hash: null })
    expect(codes(await disconnect()), 'one that is off opens nothing').toEqual([409, 'last_sign_in_method'])
    setProvider(app, other, { status: 'active', enforce_sso: 0 })
    expect((await disconnect()).status).toBe(200)
    setAlice({ password_hash: hash })
    app.db.run(q.deleteFrom('sso_providers').where('id', '=', other))
  })

  test('is refused for the provider that an organization enforces', async () => {
    await connect()
    setProvider(scene.app, scene.provider.id, { enforce_sso: 1 })
    expect(codes(await disconnect())).toEqual([409, 'sso_required'])
    expect(identityRows()).toHaveLength(1)
  })

  test('leaves an identity that with another address signs nobody in', async () => {
    await connect()
    await disconnect()
    scene.idp.people.alice = { email: 'renamed@corp.test', email_verified: true, name: 'Alice' }
    const landing = await browser.visit(`${scene.loginUrl}?login_hint=alice@corp.test`)
    expect(landing.path).toBe('/login?error=default_role_required')
  })
})

test('connecting can be started ten times in five minutes', async () => {
  await using own = await ssoScene()
  const { app, alice, provider } = own
  const by = await sessionOf(app, alice.id)
  const again = () => app.call(startSsoLink, { params: { providerId: provider.id } }, { token: by })
  for (let time = 0; time < 10; time++) expect((await again()).status).toBe(200)
  expect((await again()).status).toBe(429)
  expect(app.rowCounts().sso_sessions).toBe(10)
  expect(auditOf(app, 'sso.identity.link_started')).toHaveLength(10)
})

test('a callback from an address outside the IP allow-list connects nothing', async () => {
  await using own = await ssoScene({ env: { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '10.0.0.0/8' } })
  const { app, alice, admin, provider } = own
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: ['203.0.113.0/24'] } }) })
  const by = await sessionOf(app, alice.id)
  const connectFrom = async (ip: string) => {
    const mine = own.browser()
    const begun = await mine.inject({
      method: 'POST',
      url: `/api/v1/sso/link/start/${provider.id}`,
      headers: { authorization: `Bearer ${by}`, 'x-forwarded-for': '203.0.113.9' },
    })
    const callback = await mine.callbackFrom(begun.json<{ authUrl: string }>().authUrl)
    const url = callback.pathname + callback.search
    const answer = await mine.inject({ method: 'GET', url, headers: { 'x-forwarded-for': ip } })
    return answer.headers.location
  }
  expect(await connectFrom('198.51.100.7')).toBe(refusedWith('session_invalid'))
  expect(app.rowCounts().user_sso_identities).toBe(0)
  const about = { resource_id: provider.id, details: { reason: 'ip_not_allowed', userId: alice.id } }
  expect(auditOf(app, 'sso.identity.link_rejected')).toMatchObject([about])
  expect(await connectFrom('203.0.113.9')).toBe(connected)
})
