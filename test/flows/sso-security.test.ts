import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { acceptInvitation, listInvitations } from '../../shared/api/invitations.ts'
import { mfaSetup } from '../../shared/api/mfa.ts'
import { passkeyRegisterOptions, passkeyRegisterVerify } from '../../shared/api/passkeys.ts'
import { inviteUser } from '../../shared/api/people.ts'
import { updateMe, usersMe } from '../../shared/api/profile.ts'
import { verifyEmail } from '../../shared/api/registration.ts'
import { createRole } from '../../shared/api/roles.ts'
import { deleteSsoIdentity } from '../../shared/api/sso-links.ts'
import { deleteSsoProvider, updateSsoProvider } from '../../shared/api/sso-providers.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { member, organizationOf, password } from '../helpers/factories.ts'
import { mailOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { applianceOrigin } from '../helpers/openid-provider.ts'
import { saying } from '../helpers/openid-tampering.ts'
import { makePlatformAdmins } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { setProvider } from '../helpers/sso-rows.ts'
import { claimsIn, withFactor } from './kit.ts'
import { signInAlone } from './passkey-kit.ts'
import { grants } from './role-kit.ts'

/**
 * An attacker controls the identity provider of one organization. It may claim any identity, and the organization trusts
 * it, but an account with more reach than the organization must not be taken over by that.
 */

let scene: SsoScene

beforeAll(async () => {
  scene = await ssoScene({ env: mailToFiles })
  const { app, admin, org, provider } = scene
  const wanted = { name: 'Reader', orgId: org.id, permissions: [{ resource: 'devices', action: 'read' }] }
  const role = await app.call(createRole, { body: wanted }, admin)
  setProvider(app, provider.id, { default_role_id: role.body.id, default_role_configured_by: admin.userId })
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.idp.front.beHonest())

let others = 0
/** A person whom the provider knows with these claims. */
function claimed(claims: object = {}): { who: string; email: string } {
  const who = `person${++others}`
  const email = `${who}@corp.test`
  scene.idp.people[who] = { email, email_verified: true, name: `Person ${others}`, ...claims }
  return { who, email }
}

/** Where a sign-in as `who` ends: the page, and the bearer if it succeeds. */
async function comes(who: string, url = scene.loginUrl): Promise<{ path: string; token: string }> {
  const browser = scene.browser()
  const { path, url: page } = await browser.visit(`${url}?login_hint=${who}@corp.test`)
  const code = new URLSearchParams(page.hash.slice(1)).get('ssoCode')
  if (!code) return { path, token: '' }
  const answer = await browser.inject({
    method: 'POST',
    url: '/api/v1/sso/exchange',
    headers: { origin: applianceOrigin },
    payload: { code },
  })
  return { path, token: answer.json<{ accessToken: string }>().accessToken }
}

const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]
const ofOrganization = () => ({ scope: 'organization', orgId: scene.org.id }) as const
const userBy = (email: string) =>
  scene.app.db.first(q.selectFrom('users').selectAll().where('email', '=', email)) ?? { id: '', email: '' }

/** Connects an identity as the profile does. */
function connect(userId: string, providerId: string, subject: string): string {
  const now = isoNow(scene.app.clock)
  const row = { id: randomUUIDv7(), user_id: userId, provider_id: providerId, external_id: subject }
  scene.app.db.run(q.insertInto('user_sso_identities').values({ ...row, created_at: now, updated_at: now }))
  return row.id
}

/** Makes the user an administrator of the company. */
function promote(userId: string): void {
  const { app, admin } = scene
  const role_id = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  const row = { id: randomUUIDv7(), partner_id: admin.partnerId, user_id: userId, role_id, org_access: 'all' } as const
  app.db.run(q.insertInto('partner_users').values({ ...row, created_at: isoNow(app.clock) }))
}

async function makePasskey(token: string, currentPassword?: string) {
  const device = new Authenticator()
  const headers = { origin: 'http://localhost', host: 'localhost' }
  const asked = { ...(currentPassword !== undefined && { currentPassword }) }
  const { body, status } = await scene.app.call(passkeyRegisterOptions, { body: asked }, { token, headers })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const credential = device.create(body.options)
  const made = await scene.app.call(passkeyRegisterVerify, { body: { credential } }, { token, headers })
  expect(made.status).toBe(200)
  return device
}

/** The scope that a passkey alone signs in to, or the refusal. */
async function landing(device: Authenticator) {
  const { status, body } = await signInAlone(scene.app, device)
  return body.tokens ? claimsIn(body.tokens.accessToken).scope : status
}

describe('a passkey registered after a sign-in at the provider of an organization', () => {
  test('signs in to the organization, even when its owner has become an administrator of the company', async () => {
    const { who, email } = claimed()
    const before = await makePasskey((await comes(who)).token)
    expect(await landing(before)).toBe('organization')
    promote(userBy(email).id)
    expect(await landing(before)).toBe('organization')
    expect(claimsIn((await comes(who)).token)).toMatchObject({ scope: 'organization' })
  })

  test('does not give access to what the claimed address is invited to', async () => {
    const { app, admin } = scene
    const { who, email } = claimed({ email: 'chief@bigger.test' })
    const planted = await makePasskey((await comes(who)).token)
    expect(email).not.toBe('chief@bigger.test')
    const roleId = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
    const body = { email: 'chief@bigger.test', name: 'Chief', roleId, orgAccess: 'all' } as const
    expect((await app.call(inviteUser, { body }, admin)).status).toBe(201)
    const signedIn = await signInAlone(app, planted)
    const token = signedIn.body.tokens?.accessToken ?? ''
    const { data } = (await app.call(listInvitations, {}, { token })).body
    for (const { id } of data)
      expect(codes(await app.call(acceptInvitation, { params: { id }, body: {} }, { token }))).toEqual([
        403,
        'invitation_by_mail',
      ])
    expect(data).toHaveLength(1)
    expect(await landing(planted)).toBe('organization')
  })

  test('gives no platform admin rights, even if its owner has them', async () => {
    const { app, org } = scene
    const { who, email } = claimed()
    const planted = await makePasskey((await comes(who)).token)
    makePlatformAdmins(app, userBy(email).id)
    const { body } = await signInAlone(app, planted)
    expect((await app.call(usersMe, {}, { token: body.tokens?.accessToken })).body.isPlatformAdmin).toBe(false)
    app.db.run(q.deleteFrom('organization_users').where('org_id', '=', org.id).where('user_id', '=', userBy(email).id))
    expect(await landing(planted)).toBe(401)
  })

  test('stops working when that provider is deleted', async () => {
    const { app, admin, idp } = scene
    const org = await organizationOf(app, admin.token, 'Passing')
    const { who, email } = claimed()
    await member(app, { email, scope: 'organization', orgId: org.id })
    const { id } = await readyProvider(app, admin.token, idp, { orgId: org.id })
    app.db.run(q.updateTable('users').set({ password_hash: null }).where('email', '=', email))
    const planted = await makePasskey((await comes(who, `/api/v1/sso/login/${org.id}`)).token)
    expect(await landing(planted)).toBe('organization')
    expect((await app.call(deleteSsoProvider, { params: { id } }, admin)).status).toBe(200)
    promote(userBy(email).id)
    expect(await landing(planted)).toBe(401)
  })

  test('but one registered with the password belongs to the owner', async () => {
    const { who, email } = claimed()
    const user = await member(scene.app, { email, ...ofOrganization() })
    const own = await makePasskey((await comes(who)).token, password)
    promote(user.id)
    expect(await landing(own)).toBe('partner')
  })
})

describe('an account with more reach than the organization', () => {
  test('gets no factor through the provider without its password', async () => {
    const { app } = scene
    const { who, email } = claimed()
    const user = await member(app, { email, ...ofOrganization() })
    const setUp = async () => app.call(mfaSetup, { body: {} }, { token: (await comes(who)).token })
    expect((await setUp()).status, 'its own people only have to be fresh').toBe(200)
    promote(user.id)
    expect(codes(await setUp())).toEqual([400, 'password_required'])
  })

  test('keeps its address, even against an earlier request', async () => {
    const { app } = scene
    const { who, email } = claimed()
    const { enabled } = await withFactor(app, (await comes(who)).token)
    const token = enabled.body.tokens?.accessToken
    const move = (to: string) => app.call(updateMe, { body: { email: to } }, { token })
    expect((await move('evil@elsewhere.test')).status).toBe(200)
    const link = tokenIn(await mailOf(app, 'verify-email-change', 'evil@elsewhere.test'))
    promote(userBy(email).id)
    expect(codes(await move('worse@elsewhere.test'))).toEqual([403, 'sso_email_closed'])
    expect((await app.call(verifyEmail, { body: { token: link } })).status).toBe(400)
    expect(userBy(email)).toMatchObject({ email })
  })

  test('is not opened by the provider while it is invited by the company', async () => {
    const { app } = scene
    const { who, email } = claimed()
    const user = await member(app, { email, ...ofOrganization() })
    app.db.run(q.updateTable('users').set({ status: 'invited', password_hash: null }).where('id', '=', user.id))
    promote(user.id)
    expect((await comes(who)).path).toBe('/login?error=sso_link_required')
    expect(userBy(email)).toMatchObject({ status: 'invited' })
  })
})

test('a session from the provider of one organization must sign in at another one to disconnect it', async () => {
  const { app, admin, idp } = scene
  const other = await organizationOf(app, admin.token, 'Sister')
  const there = await readyProvider(app, admin.token, idp, { orgId: other.id })
  const { who, email } = claimed()
  const user = await member(app, { email, ...ofOrganization() })
  const { token } = await comes(who)
  const id = connect(user.id, there.id, who)
  const disconnect = (bearer: string) => app.call(deleteSsoIdentity, { params: { id } }, { token: bearer })
  expect(await disconnect(token)).toMatchObject({
    status: 400,
    body: { code: 'sign_in_again', loginUrl: `/api/v1/sso/login/${other.id}` },
  })
  expect((await disconnect(await sessionOf(app, user.id))).status).toBe(200)
})

test('a manager of single sign-on cannot decide who becomes an operator', async () => {
  const { app, admin, idp } = scene
  const { id } = await readyProvider(app, admin.token, idp, { ownerScope: 'partner', status: 'inactive' })
  const permissions = grants('sso:admin')
  const role = await app.call(createRole, { body: { name: 'Doorkeeper', permissions } }, admin)
  const keeper = await member(app, { email: 'keeper@acme.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('partner_users').set({ role_id: role.body.id }).where('user_id', '=', keeper.id))
  const change = (body: InputOf<typeof updateSsoProvider>['body'], token: string) =>
    app.call(updateSsoProvider, { params: { id }, body }, { token })
  const bearer = await sessionOf(app, keeper.id, 'totp')
  expect((await change({ jwksUrl: `${idp.issuer}/before` }, bearer)).status).toBe(200)
  connect(admin.userId, id, 'ada')
  for (const body of [{ jwksUrl: `${idp.issuer}/evil` }, { issuer: 'https://idp.evil.test' }])
    expect(codes(await change(body, bearer))).toEqual([403, 'platform_admin_required'])
  expect((await change({ name: 'Renamed', clientSecret: 'rotated' }, bearer)).status).toBe(200)
  expect((await change({ jwksUrl: `${idp.issuer}/jwks` }, admin.token)).status).toBe(200)
})

test('an operator is never connected by address, even without another way to sign in', async () => {
  const { app, admin, idp } = scene
  await readyProvider(app, admin.token, idp, { ownerScope: 'partner' })
  const { who, email } = claimed()
  const root = await member(app, { email, scope: 'partner', partnerId: admin.partnerId, isPlatformAdmin: true })
  for (const values of [{ password_hash: null }, { status: 'invited' as const }]) {
    app.db.run(q.updateTable('users').set(values).where('id', '=', root.id))
    const { path } = await comes(who, `/api/v1/sso/login/partner/${admin.partnerId}`)
    expect(path).toBe('/login?error=sso_link_required')
  }
})

test('oversized tokens are not stored', async () => {
  const { who, email } = claimed()
  scene.idp.front.tamper('token', saying({ refresh_token: 'x'.repeat(900_000) }))
  expect((await comes(who)).token).not.toBe('')
  const kept = scene.app.db.first(q.selectFrom('user_sso_identities').selectAll().where('email', '=', email))
  expect(kept).toMatchObject({ access_token: expect.any(String), refresh_token: null })
})

test('letters whose lower case is an ASCII letter make another mailbox', async () => {
  const { app } = scene
  await member(app, { email: 'kate@corp.test', ...ofOrganization() })
  const kelvin = '\u212Aate@corp.test'
  expect(kelvin.toLowerCase()).toBe('kate@corp.test')
  expect((await comes(claimed({ email: kelvin }).who)).path).toBe('/login?error=sso_error')
})

test('deeply nested answers of a provider end in a refused sign-in', async () => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000)
  scene.idp.front.tamper('userinfo', ({ json }) => ({ body: JSON.stringify(json).replace(/}$/, `,"x":${deep}}`) }))
  expect((await comes(claimed().who)).path).toBe('/login?error=sso_error')
})

/** The victim starts at the hostile provider, which forwards them to the honest one in the name of the attacker. */
async function sentOn() {
  const { app, admin, idp } = scene
  const evil = await organizationOf(app, admin.token, 'Evil')
  const { id } = await readyProvider(app, admin.token, idp, { orgId: evil.id })
  // Its document does not promise an issuer in responses.
  const own = { issuer: 'https://idp.evil.test', token_url: `${idp.issuer}/elsewhere/token`, discovery_metadata: null }
  setProvider(app, id, own)
  const [attacker, victim] = [scene.browser(), scene.browser()]
  const stateOf = (address: unknown) => new URL(String(address)).searchParams.get('state') ?? ''
  const begun = await attacker.inject({ method: 'GET', url: scene.loginUrl })
  const theirs = await victim.inject({ method: 'GET', url: `/api/v1/sso/login/${evil.id}` })
  const onward = new URL(String(begun.headers.location))
  onward.searchParams.set('state', stateOf(theirs.headers.location))
  onward.searchParams.set('login_hint', 'alice@corp.test')
  const callback = await victim.callbackFrom(onward.href)
  return { attacker, victim, callback, ownState: stateOf(begun.headers.location) }
}

test('the code of another provider is not redeemed when its issuer is in the response', async () => {
  const { victim, callback } = await sentOn()
  // The honest provider names itself, so the code is sent nowhere.
  expect((await victim.visit(callback)).path).toBe('/login?error=sso_error')
  expect(scene.idp.front.strays).toEqual([])
})

test('without an issuer in the response a leaked code cannot be used any more', async () => {
  const { app, idp, provider } = scene
  setProvider(app, provider.id, { discovery_metadata: null })
  const { attacker, victim, callback, ownState } = await sentOn()
  callback.searchParams.delete('iss')
  await victim.visit(callback)
  const code = callback.searchParams.get('code') ?? ''
  expect(idp.front.strays.splice(0).join()).toContain(code)
  const stolen = new URLSearchParams({ code, state: ownState })
  expect((await attacker.visit(`/api/v1/sso/callback?${stolen}`)).path).toBe('/login?error=sso_error')
})

test('probing of internal names by endpoints is rate limited', async () => {
  const { app, admin, idp, org } = scene
  const { id } = await readyProvider(app, admin.token, idp, { orgId: org.id, status: 'inactive' })
  const probe = (name: string) =>
    app.call(updateSsoProvider, { params: { id }, body: { userInfoUrl: `https://${name}/` } }, admin)
  const statuses: number[] = []
  for (let at = 0; at < 12; at++) statuses.push((await probe(`localhost:${at + 1}`)).status)
  expect(statuses.at(-1)).toBe(429)
  const again = { userInfoUrl: `${idp.issuer}/me`, name: 'Saved again' }
  expect((await app.call(updateSsoProvider, { params: { id }, body: again }, admin)).status).toBe(200)
})
