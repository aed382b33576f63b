import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { iso, isoNow } from '../../server/platform/clock.ts'
import { loginContext } from '../../shared/api/login-branding.ts'
import { ssoCheck, ssoDiscovery, ssoLogin } from '../../shared/api/sso-sign-in.ts'
import { type Admin, bootstrapped, member, organizationOf, otherCompany } from '../helpers/factories.ts'
import { setOrganization, setPartner } from '../helpers/rows.ts'
import { enforcingProvider, setProvider } from '../helpers/sso-rows.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'

/** Look-ups that are available before the sign-in. */

const unlimited = { HOMEPORT_LIMIT_SSO_DISCOVERY: '0/60', HOMEPORT_LIMIT_LOGIN_CONTEXT: '0/60' }
/** A provider with every field filled in; its addresses do not answer. */
const filledIn = {
  issuer: 'https://idp.invalid',
  client_id: 'homeport',
  client_secret: 'v1:sealed',
  authorization_url: 'https://idp.invalid/auth',
  token_url: 'https://idp.invalid/token',
  jwks_url: 'https://idp.invalid/keys',
}

let app: TestApp
let admin: Admin
let orgId: string

beforeAll(async () => {
  app = await testApp({ env: { ...unlimited, ...usualSignInFloor } })
  admin = await bootstrapped(app)
  orgId = (await organizationOf(app, admin.token)).id
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => {
  for (const table of ['sso_providers', 'sso_verified_domains'] as const) app.db.run(q.deleteFrom(table))
  setOrganization(app, orgId, { status: 'active', deleted_at: null })
})

const check = async (id = orgId) => (await app.call(ssoCheck, { params: { orgId: id } })).body
const discover = async (email: string) => (await app.call(ssoDiscovery, { body: { email } })).body.sso
const context = async () => (await app.call(loginContext)).body.partnerSso

function prove(domain: string, of = orgId, isVerified = true): void {
  const now = isoNow(app.clock)
  const row = { id: randomUUIDv7(), org_id: of, domain, verification_token: 'x', verified_at: isVerified ? now : null }
  app.db.run(q.insertInto('sso_verified_domains').values({ ...row, created_at: now, updated_at: now }))
}

/** Two active providers, of which only the newer one is enforced. */
function twoProviders(owner: { orgId: string } | { partnerId: string }): string {
  const earlier = iso(app.clock.now() - 1000)
  enforcingProvider(app, owner, { ...filledIn, name: 'Newer' })
  return enforcingProvider(app, owner, { ...filledIn, name: 'Older', enforce_sso: 0, created_at: earlier })
}

describe('the check whether an organization has single sign-on', () => {
  test('returns the name of its provider and nothing else about it', async () => {
    expect(await check()).toEqual({ ssoEnabled: false })
    const id = enforcingProvider(app, { orgId }, filledIn)
    expect(await check()).toEqual({
      ssoEnabled: true,
      provider: { id, name: 'Corp sign-in', type: 'oidc' },
      enforceSSO: true,
      loginUrl: `/api/v1/sso/login/${orgId}`,
    })
    setProvider(app, id, { status: 'testing' })
    expect(await check()).toEqual({ ssoEnabled: false })
    setProvider(app, id, { status: 'active', type: 'saml' })
    expect(await check()).toMatchObject({ ssoEnabled: true, provider: { type: 'saml' } })
    setOrganization(app, orgId, { status: 'archived' })
    expect(await check()).toEqual({ ssoEnabled: false })
    expect((await app.call(ssoCheck, { params: { orgId: 'x' } })).status).toBe(400)
    expect(await check(randomUUIDv7())).toEqual({ ssoEnabled: false })
  })

  test('is limited to sixty a minute per address', async () => {
    const ask = () => app.call(ssoCheck, { params: { orgId } }, { remoteAddress: '10.0.0.7' })
    for (let count = 0; count < 60; count++) expect((await ask()).status).toBe(200)
    const { status, body } = await ask()
    expect([status, body.error]).toEqual([429, 'Too many requests'])
  })
})

describe('the discovery of a provider by e-mail address', () => {
  const found = () => ({ providerName: 'Corp sign-in', loginUrl: `/api/v1/sso/login/${orgId}`, enforceSSO: false })

  test('finds it by a verified domain in any spelling, whatever the part before the @', async () => {
    await member(app, { email: 'real@corp.test', scope: 'organization', orgId })
    const id = enforcingProvider(app, { orgId }, { ...filledIn, enforce_sso: 0, allowed_domains: 'other.test' })
    expect(await discover('real@corp.test')).toBeNull()
    prove('corp.test', orgId, false)
    expect(await discover('real@corp.test')).toBeNull()
    app.db.run(q.deleteFrom('sso_verified_domains'))
    prove('corp.test')
    for (const email of ['real@corp.test', 'invented@corp.test', ' A@CORP.Test ', 'a@corp.test.'])
      expect(await discover(email), email).toEqual(found())
    for (const email of ['real@other.test', 'real@sub.corp.test', 'real@xcorp.test'])
      expect(await discover(email), email).toBeNull()
    setProvider(app, id, { type: 'saml' })
    expect(await discover('real@corp.test')).toBeNull()
    setProvider(app, id, { type: 'oidc', status: 'testing' })
    expect(await discover('real@corp.test')).toBeNull()
    setProvider(app, id, { status: 'active' })
    setOrganization(app, orgId, { status: 'suspended' })
    expect(await discover('real@corp.test')).toBeNull()
  })

  test('finds none if two organizations verified the domain, unless one of them is archived', async () => {
    enforcingProvider(app, { orgId }, { ...filledIn, enforce_sso: 0 })
    prove('corp.test')
    const other = await organizationOf(app, admin.token, 'Other')
    prove('corp.test', other.id)
    expect(await discover('a@corp.test')).toBeNull()
    setOrganization(app, other.id, { status: 'archived' })
    expect(await discover('a@corp.test')).toEqual(found())
  })

  test('takes the same time for every address and is not cached', async () => {
    enforcingProvider(app, { orgId }, filledIn)
    prove('corp.test')
    for (const email of ['a@corp.test', 'a@nowhere.test']) {
      const begin = performance.now()
      const { headers } = await app.call(ssoDiscovery, { body: { email } })
      expect(performance.now() - begin).toBeGreaterThan(345)
      expect(headers['cache-control']).toBe('no-store')
    }
    for (const email of ['', 'corp.test', 'a@b@corp.test', `${'a'.repeat(320)}@corp.test`, 7])
      expect((await app.call(ssoDiscovery, { body: { email } as never })).status, String(email)).toBe(400)
  })

  test('is limited by client, whatever addresses it asks for', async () => {
    await using narrow = await testApp({ env: { HOMEPORT_LIMIT_SSO_DISCOVERY: '2/300' } })
    const ask = (name: string) => narrow.call(ssoDiscovery, { body: { email: `${name}@corp.test` } })
    expect((await Promise.all([ask('a'), ask('b')])).map(({ status }) => status)).toEqual([200, 200])
    const { status, body } = await ask('c')
    expect([status, body]).toMatchObject([429, { error: 'Too many requests', retryAfter: 300 }])
  })

  test('finds none while the database fails', async () => {
    await using broken = await testApp()
    broken.db.statement('ALTER TABLE sso_verified_domains RENAME COLUMN domain TO gone').run()
    const { status, body } = await broken.call(ssoDiscovery, { body: { email: 'a@corp.test' } })
    expect([status, body]).toEqual([200, { sso: null }])
  })
})

describe('the provider on the sign-in page', () => {
  test('is that of the company', async () => {
    expect(await context()).toBeNull()
    const id = enforcingProvider(app, { partnerId: admin.partnerId }, filledIn)
    const loginUrl = `/api/v1/sso/login/partner/${admin.partnerId}`
    expect(await context()).toEqual({ providerName: 'Corp sign-in', loginUrl, enforceSSO: true })
    const hidden = [{ status: 'testing' }, { type: 'saml' }, { client_id: null }, { client_secret: null }] as const
    for (const values of hidden) {
      setProvider(app, id, values)
      expect(await context(), JSON.stringify(values)).toBeNull()
      setProvider(app, id, { status: 'active', type: 'oidc', ...filledIn })
    }
    setPartner(app, admin.partnerId, { status: 'suspended' })
    expect(await context()).toBeNull()
    setPartner(app, admin.partnerId, { status: 'active' })
    expect(await context()).not.toBeNull()
  })

  test('is none if there are two companies, or on a hosted installation', async () => {
    await using hosted = await testApp({ env: { IS_HOSTED: 'yes' } })
    const { partnerId } = await bootstrapped(hosted)
    enforcingProvider(hosted, { partnerId }, filledIn)
    expect((await hosted.call(loginContext)).body).toEqual({ branding: null, partnerSso: null })
    await using shared = await testApp()
    const first = await bootstrapped(shared)
    enforcingProvider(shared, { partnerId: first.partnerId }, filledIn)
    const second = await otherCompany(shared)
    expect((await shared.call(loginContext)).body).toEqual({ branding: null, partnerSso: null })
    setPartner(shared, second.partnerId, { deleted_at: isoNow(shared.clock) })
    expect((await shared.call(loginContext)).body.partnerSso).not.toBeNull()
  })
})

test('of two active providers every look-up returns the older one', async () => {
  prove('corp.test')
  const older = twoProviders({ orgId })
  twoProviders({ partnerId: admin.partnerId })
  expect(await check()).toMatchObject({ provider: { id: older, name: 'Older' }, enforceSSO: false })
  expect(await discover('a@corp.test')).toMatchObject({ providerName: 'Older', enforceSSO: true })
  expect(await context()).toMatchObject({ providerName: 'Older', enforceSSO: false })
  // Only the older one is incomplete.
  setProvider(app, older, { client_id: null })
  const { body } = await app.call(ssoLogin, { params: { orgId } })
  expect(body.error).toBe('Provider is not fully configured')
})
