import type { HTTPMethods } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { type Admin, bootstrapped, member, organizationOf, otherCompany } from '../helpers/factories.ts'
import { setOrganization } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { ssoScene } from '../helpers/sso-kit.ts'
import { enforcingProvider, setProvider } from '../helpers/sso-rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/**
 * Single sign-on as a client of the public API uses it: plain requests, with answers compared to the tables of the
 * reference instead of our contracts.
 */

const nobody = '00000000-0000-4000-8000-000000000000'
let app: TestApp
let admin: Admin
let token: string
let orgId: string

beforeAll(async () => {
  app = await testApp()
  admin = await bootstrapped(app)
  token = await sessionOf(app, admin.userId, 'totp')
  orgId = (await organizationOf(app, admin.token)).id
})
afterAll(() => app[Symbol.asyncDispose]())

interface Sent {
  body?: unknown
  bearer?: string | undefined
  from?: string
}

/** Status, body and headers of the answer. */
async function ask(method: HTTPMethods, path: string, { body, bearer, from }: Sent = {}, of = app) {
  const answer = await of.inject({
    method,
    url: `/api/v1${path}`,
    headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), 'content-type': 'application/json' },
    ...(from && { remoteAddress: from }),
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

const keysOf = (value: object): string[] => Object.keys(value).sort()
const words = (text: string): string[] => text.trim().split(/\s+/).sort()

describe('presets', () => {
  const soap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
  const microsoft = 'https://login.microsoftonline.com/{tenant}'
  /** id | name | where | claims for email, name, first name, last name, groups. */
  const table = `
azure-ad | Microsoft Azure AD | ${microsoft}/v2.0 | email name given_name family_name
okta | Okta | https://{domain}.okta.com | email name given_name family_name groups
google | Google Workspace | https://accounts.google.com | email name given_name family_name
auth0 | Auth0 | https://{domain}.auth0.com | email name given_name family_name
azure-ad-saml | Microsoft Azure AD (SAML) | ${microsoft}/saml2 ${microsoft}/federationmetadata/2007-06/federationmetadata.xml | ${soap}/emailaddress ${soap}/name ${soap}/givenname ${soap}/surname http://schemas.microsoft.com/ws/2008/06/identity/claims/groups
okta-saml | Okta (SAML) | https://{domain}.okta.com/app/{appId}/sso/saml https://{domain}.okta.com/app/{appId}/sso/saml/metadata | email name firstName lastName groups
onelogin-saml | OneLogin (SAML) | https://{domain}.onelogin.com/trust/saml2/http-post/sso/{appId} https://{domain}.onelogin.com/saml/metadata/{appId} | User.email User.FirstName User.FirstName User.LastName
adfs-saml | Active Directory Federation Services (ADFS) | https://{adfs-server}/adfs/ls https://{adfs-server}/FederationMetadata/2007-06/FederationMetadata.xml | ${soap}/emailaddress ${soap}/name ${soap}/givenname ${soap}/surname http://schemas.xmlsoap.org/claims/Group
google-saml | Google Workspace (SAML) | https://accounts.google.com/o/saml2/idp?idpid={idpId} | email name first_name last_name
`
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.split(' ')))
    .map(([[id = ''] = [], name = [], places = [], claims = []]) => ({ id, name: name.join(' '), places, claims }))
  const claimNames = ['email', 'name', 'firstName', 'lastName', 'groups']
  const openIdScopes = (id: string) => `openid profile email${id === 'okta' ? ' groups' : ''}`

  test('match the reference exactly', async () => {
    const { data } = (await ask('GET', '/sso/presets', { bearer: token })).body
    expect(
      data.map(({ certificateInstructions: _, ...preset }: object & { certificateInstructions?: string }) => preset),
    ).toEqual(
      rows.map(({ id, name, places: [place, metadata], claims }) => ({
        id,
        name,
        attributeMapping: Object.fromEntries(claims.map((claim, at) => [claimNames[at], claim])),
        ...(id.endsWith('-saml')
          ? { type: 'saml', scopes: '', ssoUrlTemplate: place, ...(metadata && { metadataUrlTemplate: metadata }) }
          : { type: 'oidc', scopes: openIdScopes(id), issuerTemplate: place }),
        ...(id === 'google' && {
          authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
          tokenUrl: 'https://oauth2.googleapis.com/token',
          userInfoUrl: 'https://openidconnect.googleapis.com/v1/userinfo',
        }),
      })),
    )
  })

  test('accept "azure" as the name that the public web client uses', async () => {
    const body = { name: 'Azure', type: 'oidc', preset: 'azure', orgId }
    const { data } = (await ask('POST', '/sso/providers', { bearer: token, body })).body
    expect(data.attributeMapping).toMatchObject({ firstName: 'given_name', lastName: 'family_name' })
  })
})

describe('the format of answers', () => {
  const provider = words(`id orgId partnerId name type status issuer clientId hasClientSecret authorizationUrl tokenUrl
    userInfoUrl jwksUrl scopes entityId ssoUrl certificate attributeMapping autoProvision defaultRoleId
    defaultRoleConfiguredBy allowedDomains enforceSSO trustsIdpMfa configVersion createdBy createdAt updatedAt
    discoveryError network`)
  const listed = 'id name type status issuer autoProvision enforceSSO trustsIdpMfa createdAt network'

  test('about providers', async () => {
    const made = await ask('POST', '/sso/providers', { bearer: token, body: { name: 'Wire', type: 'oidc', orgId } })
    const { id } = made.body.data
    const read = await ask('GET', `/sso/providers/${id}?orgId=`, { bearer: token })
    const changed = await ask('PATCH', `/sso/providers/${id}?orgId=`, { bearer: token, body: { name: 'Wired' } })
    const set = await ask('POST', `/sso/providers/${id}/status`, { bearer: token, body: { status: 'testing' } })
    for (const { body } of [made, read, changed, set])
      expect([keysOf(body), keysOf(body.data)]).toEqual([['data'], provider])
    const ofOrganization = await ask('GET', `/sso/providers?orgId=${orgId}`, { bearer: token })
    expect(keysOf(ofOrganization.body.data[0])).toEqual(words(listed))
    await ask('POST', '/sso/providers', { bearer: token, body: { name: 'All', type: 'oidc', ownerScope: 'partner' } })
    const ofCompany = await ask('GET', `/sso/providers?scope=partner&orgId=${nobody}`, { bearer: token })
    expect(ofCompany.body.data.map(keysOf)).toEqual([words(`${listed} partnerId`)])
  })

  test('with providers in the order of their creation', async () => {
    const { id: orgId } = await organizationOf(app, admin.token, 'Cologne')
    const someone = await member(app, { email: 'someone@cologne.test', scope: 'organization', orgId })
    const make = (name: string, values = {}) =>
      enforcingProvider(app, { orgId }, { name, status: 'testing', ...values })
    make('B', { created_at: '2001-01-01T00:00:00.000Z' })
    make('A')
    make('C', { created_at: '2000-01-01T00:00:00.000Z' })
    for (const path of ['/sso/providers', '/sso/link/options']) {
      const { data } = (await ask('GET', path, { bearer: await sessionOf(app, someone.id) })).body
      expect(data.map(({ name }: { name: string }) => name)).toEqual(['C', 'B', 'A'])
    }
  })

  test('about domains', async () => {
    const made = await ask('POST', '/sso/domains', { bearer: token, body: { domain: 'wire.test', orgId } })
    expect([made.status, keysOf(made.body.data)]).toEqual([201, words('id domain verified recordName recordValue')])
    const { data } = (await ask('GET', `/sso/domains?orgId=${orgId}`, { bearer: token })).body
    const all = words('id domain verified verifiedAt lastCheckedAt createdAt recordName recordValue')
    expect(data.map(keysOf)).toEqual([all])
    const forgotten = await ask('DELETE', `/sso/domains/${made.body.data.id}?orgId=`, { bearer: token })
    expect(forgotten.body).toEqual({ data: { deleted: true } })
  })

  test('before the sign-in', async () => {
    const own = enforcingProvider(app, { orgId }, { name: 'Corp' })
    const check = await ask('GET', `/sso/check/${orgId}`)
    const loginUrl = `/api/v1/sso/login/${orgId}`
    const told = { id: own, name: 'Corp', type: 'oidc' }
    expect(check.body).toEqual({ ssoEnabled: true, provider: told, enforceSSO: true, loginUrl })
    const discovered = await ask('POST', '/auth/sso-discovery', { body: { email: 'a@wire.test' } })
    expect([discovered.body, discovered.headers['cache-control']]).toEqual([{ sso: null }, 'no-store'])
    const { body, headers } = await ask('GET', '/auth/login-context')
    expect([body, headers['cache-control']]).toEqual([{ branding: null, partnerSso: null }, 'public, max-age=60'])
  })
})

describe('writing', () => {
  let low: string
  beforeAll(async () => {
    const who = { scope: 'partner', partnerId: admin.partnerId, role: 'Partner Technician' } as const
    low = await sessionOf(app, (await member(app, { email: 'tech@acme.test', ...who })).id)
  })

  const writes: [HTTPMethods, path: string, good?: object, bad?: object][] = [
    ['PATCH', '/sso/providers/:id', { name: 'x' }, { name: '' }],
    ['DELETE', '/sso/providers/:id'],
    ['POST', '/sso/providers/:id/status', { status: 'active' }, { status: 'on' }],
    ['POST', '/sso/providers/:id/test'],
    ['DELETE', '/sso/domains/:id'],
    ['POST', '/sso/domains/:id/verify'],
  ]
  test.each(writes)('%s %s checks bearer, permission, factor and body in order', async (method, path, good, bad) => {
    const told = async (id: string, bearer: string | undefined, body = good) => {
      const answer = await ask(method, path.replace(':id', id), { bearer, body })
      return [answer.status, answer.status === 400 ? keysOf(answer.body.details) : answer.body.error]
    }
    expect(await told('x', undefined, bad)).toEqual([401, 'Missing or invalid authorization header'])
    expect(await told('x', low, bad)).toEqual([403, 'Permission denied'])
    expect(await told('x', admin.token, bad)).toEqual([403, 'MFA required'])
    expect(await told('x', token)).toEqual([400, ['fieldErrors', 'formErrors']])
    if (bad) expect(await told(nobody, token, bad)).toEqual([400, ['fieldErrors', 'formErrors']])
    expect(await told(nobody, token)).toEqual([
      404,
      path.includes('domains') ? 'Domain not found' : 'Provider not found',
    ])
  })
})

test('look-ups and discovery have the default limits of the reference', async () => {
  const lookUp = () => ask('POST', '/auth/sso-discovery', { body: { email: 'a@nowhere.test' }, from: '10.0.0.1' })
  const found = await Promise.all(Array.from({ length: 20 }, lookUp))
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await lookUp()).toMatchObject({ status: 429, body: { error: 'Too many requests', retryAfter: 300 } })
  const probe = { name: 'Probe', type: 'oidc', issuer: 'https://idp.invalid', orgId }
  const { admin: other, org } = await otherCompany(app)
  const bearer = await sessionOf(app, other.id, 'totp')
  const probes = () => ask('POST', '/sso/providers', { bearer, body: { ...probe, orgId: org.id } })
  for (let count = 0; count < 10; count++) expect((await probes()).status).toBe(201)
  expect(await probes()).toMatchObject({ status: 429, body: { retryAfter: 60 } })
})

test('of two reasons for a refusal the one checked first is reported', async () => {
  await using scene = await ssoScene()
  const { idp, provider, org, alice } = scene
  const set = (values: object) => setProvider(scene.app, provider.id, values)
  const suspend = () => setOrganization(scene.app, org.id, { status: 'suspended' })
  const disable = () => scene.app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', alice.id))
  const before = scene.app.db.first(q.selectFrom('sso_providers').selectAll().where('id', '=', provider.id)) ?? {}
  const reasons: [who: string, change: () => unknown, code: string][] = [
    ['nobody', () => set({ status: 'inactive' }), 'sso_error'],
    ['alice', () => set({ status: 'inactive', config_version: 99 }), 'sso_provider_inactive'],
    ['alice', () => [set({ config_version: 99 }), suspend()], 'sso_config_changed'],
    ['alice', () => [set({ token_url: 'https://10.0.0.1/' }), suspend()], 'tenant_inactive'],
    ['alice', () => set({ token_url: 'https://10.0.0.1/', jwks_url: null }), 'sso_error'],
    ['unverified', () => set({ allowed_domains: 'other.test' }), 'sso_email_unverified'],
    ['unsaid', () => set({ allowed_domains: 'other.test' }), 'domain_not_allowed'],
    ['unsaid', () => set({ auto_provision: 0 }), 'sso_email_unverified'],
    ['bob', () => set({ auto_provision: 0 }), 'user_not_found'],
    ['bob', () => undefined, 'default_role_required'],
    ['alice', disable, 'account_inactive'],
  ]
  for (const [who, change, code] of reasons) {
    const browser = scene.browser()
    const callback = await browser.callbackFrom(`${scene.loginUrl}?login_hint=${who}@corp.test`)
    change()
    expect.soft((await browser.visit(callback)).path, who).toBe(`/login?error=${code}`)
    set(before)
    setOrganization(scene.app, org.id, { status: 'active' })
  }
  expect([idp.front.strays, scene.app.rowCounts().user_sso_identities]).toEqual([[], 0])
})
