import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso, minute } from '../../server/platform/clock.ts'
import { authMe, mfaVerify } from '../../shared/api/auth.ts'
import { mfaDisable, mfaEnable, mfaSetup, rotateRecoveryCodes, stepUp } from '../../shared/api/mfa.ts'
import { deletePasskey, passkeyRegisterOptions, passkeyRegisterVerify } from '../../shared/api/passkeys.ts'
import { updateMe, usersMe } from '../../shared/api/profile.ts'
import { createRole } from '../../shared/api/roles.ts'
import { deleteSsoIdentity, listSsoIdentities, startSsoLink } from '../../shared/api/sso-links.ts'
import { createSsoProvider } from '../../shared/api/sso-providers.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { mailToFiles } from '../helpers/mail.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { setProvider } from '../helpers/sso-rows.ts'
import { claimsIn, codeOf, withFactor } from './kit.ts'
import { give, grants } from './role-kit.ts'

/** Alice has no password: the identity provider is her only way in. */
async function scene(settings: { trustsIdpMfa?: boolean; enforceSSO?: boolean } = {}) {
  const one = await ssoScene({ provider: settings, env: mailToFiles })
  const { app, alice, admin, org } = one
  app.db.run(q.updateTable('users').set({ password_hash: null }).where('id', '=', alice.id))
  const wanted = { name: 'Doorkeeper', orgId: org.id, permissions: grants('sso:admin') }
  give(app, alice.id, (await app.call(createRole, { body: wanted }, admin)).body.id)
  return Object.assign(one, { comes: (as = 'alice') => comesBy(one, as) })
}

/** The access token and the cookies of a sign-in through the provider, as the person in the hint. */
async function comesBy(one: SsoScene, as: string): Promise<{ token: string; cookies: string }> {
  const browser = one.browser()
  one.idp.signsIn = as
  const landing = await browser.visit(one.loginUrl)
  const code = new URLSearchParams(landing.url.hash.slice(1)).get('ssoCode')
  if (!code) throw new Error(`sign-in ended at ${landing.path}`)
  const response = await browser.inject({
    method: 'POST',
    url: '/api/v1/sso/exchange',
    headers: { origin: 'https://homeport.test' },
    payload: { code },
  })
  const { accessToken } = response.json<{ accessToken: string }>()
  return { token: accessToken, cookies: browser.cookieHeader(new URL('https://homeport.test/api/v1/auth/refresh')) }
}

const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]
const sourceOf = ({ app, alice }: SsoScene) =>
  app.db.first(
    q.selectFrom('sessions').select('mfa_source').where('user_id', '=', alice.id).orderBy('created_at', 'desc'),
  )?.mfa_source

/** Dates all her sign-ins back by that many minutes; bearers would have expired and been renewed by the console. */
function aged({ app, alice }: SsoScene, minutes: number): void {
  const auth_at = iso(app.clock.now() - minutes * minute)
  app.db.run(q.updateTable('sessions').set({ auth_at }).where('user_id', '=', alice.id))
}

/** A route that requires a second factor; only that check matters here. */
const gated = ({ app, org }: SsoScene, token: string) =>
  app.call(createSsoProvider, { body: { orgId: org.id, name: 'Another', type: 'oidc' } }, { token })

test('without password and factor a fresh sign-in allows enrolling the first factor', async () => {
  await using one = await scene()
  const { app, comes } = one
  const { token } = await comes()
  expect((await app.call(usersMe, {}, { token })).body).toMatchObject({ hasPassword: false, mfaEnabled: false })
  expect(codes(await gated(one, token))).toEqual([403, 'MFA_REQUIRED'])
  const setup = await app.call(mfaSetup, {}, { token })
  expect(setup.status).toBe(200)
  const enabled = await app.call(mfaEnable, { body: { code: codeOf(app, setup.body.secret) } }, { token })
  expect(enabled.status).toBe(200)
  expect((await gated(one, enabled.body.tokens.accessToken)).status, 'enrolling is showing it').toBe(201)
})

test('with a sign-in older than a quarter of an hour the user is sent to the provider again', async () => {
  await using one = await scene()
  const { app, provider, loginUrl, comes } = one
  const { token } = await comes()
  aged(one, 14)
  expect((await app.call(passkeyRegisterOptions, { body: {} }, { token })).status).toBe(200)
  aged(one, 16)
  const stale = await app.call(passkeyRegisterOptions, { body: {} }, { token })
  expect(codes(stale)).toEqual([400, 'sign_in_again'])
  expect(stale.body).toMatchObject({ loginUrl })
  expect(codes(await app.call(mfaSetup, {}, { token }))).toEqual([400, 'sign_in_again'])
  const made = await app.call(mfaSetup, { body: { currentPassword: 'Anything1Else' } }, { token })
  expect(codes(made), 'no password can be right').toEqual([400, 'invalid_credentials'])
  setProvider(app, provider.id, { status: 'inactive' })
  const nowhere = await app.call(mfaSetup, {}, { token })
  expect(nowhere.body).toMatchObject({ code: 'sign_in_again', loginUrl: null })
  setProvider(app, provider.id, { status: 'active' })
  const again = await comes()
  expect((await app.call(passkeyRegisterOptions, { body: {} }, { token: again.token })).status).toBe(200)
})

test('with enforced single sign-on no password is asked for, and none can be set', async () => {
  await using one = await ssoScene({ provider: { enforceSSO: true } })
  const { app } = one
  const { token } = await comesBy(one, 'alice')
  expect((await app.call(usersMe, {}, { token })).body).toMatchObject({ hasPassword: true, isPasswordClosed: true })
  expect((await app.call(passkeyRegisterOptions, { body: {} }, { token })).status).toBe(200)
  aged(one, 16)
  expect(codes(await app.call(passkeyRegisterOptions, { body: {} }, { token }))).toEqual([400, 'sign_in_again'])
  setProvider(app, one.provider.id, { enforce_sso: 0 })
  expect(codes(await app.call(passkeyRegisterOptions, { body: {} }, { token }))).toEqual([400, 'password_required'])
})

test('a user with a factor and no trusted one must show it', async () => {
  await using one = await scene()
  const { app, comes, provider } = one
  const { secret } = await withFactor(app, (await comes()).token)
  const { token } = await comes()
  expect([claimsIn(token).mfa, sourceOf(one)]).toEqual([false, null])
  for (const refused of [
    await gated(one, token),
    await app.call(startSsoLink, { params: { providerId: provider.id } }, { token }),
  ])
    expect(codes(refused)).toEqual([403, 'MFA_REQUIRED'])
  const shown = await app.call(mfaVerify, { body: { code: codeOf(app, secret) } }, { token })
  expect(shown.body).toMatchObject({ purpose: 'step-up', success: true })
  const stepped = 'tokens' in shown.body && shown.body.tokens ? shown.body.tokens.accessToken : ''
  expect(claimsIn(stepped).mfa).toBe(true)
  expect((await gated(one, stepped)).status).toBe(201)
})

test('a recovery code does so too, and a wrong code does not', async () => {
  await using one = await scene()
  const { app, comes } = one
  const { recoveryCodes } = await withFactor(app, (await comes()).token)
  const { token } = await comes()
  const show = (code: string) => app.call(mfaVerify, { body: { code } }, { token })
  expect(codes(await show('000000'))).toEqual([400, 'mfa_code_invalid'])
  expect(codes(await gated(one, token))).toEqual([403, 'MFA_REQUIRED'])
  expect((await show(recoveryCodes[0] ?? '')).status).toBe(200)
  expect((await gated(one, token)).status).toBe(201)
})

test('a trusted factor of the provider passes strict endpoints but cannot change factors of the account', async () => {
  await using one = await scene({ trustsIdpMfa: true })
  const { app, comes } = one
  const { secret } = await withFactor(app, (await comes()).token)
  const { token } = await comes('alice+mfa')
  expect([claimsIn(token).mfa, sourceOf(one)]).toEqual([true, 'idp'])
  expect((await gated(one, token)).status).toBe(201)
  const rotate = (body: object) => app.call(rotateRecoveryCodes, { body }, { token })
  expect(codes(await rotate({}))).toEqual([403, 'existing_factor_step_up_required'])
  const wanted = { method: 'totp', code: codeOf(app, secret), operation: 'rotate_recovery_codes' } as const
  const granted = await app.call(stepUp, { body: wanted }, { token })
  expect((await rotate({ stepUpGrantId: granted.body.stepUpGrantId })).status).toBe(200)
})

test('a policy that requires a factor is not met by one of the provider', async () => {
  await using one = await scene({ trustsIdpMfa: true })
  const { app, org, comes } = one
  const { token: before } = await comes('alice+mfa')
  expect(claimsIn(before).mfa).toBe(true)
  setOrganization(app, org.id, { settings: toJson({ security: { requireMfa: true } }) })
  for (const token of [before, (await comes('alice+mfa')).token]) {
    expect(codes(await app.call(authMe, {}, { token }))).toEqual([428, 'mfa_enrollment_required'])
    expect(codes(await gated(one, token))).toEqual([428, 'mfa_enrollment_required'])
    expect((await app.call(usersMe, {}, { token })).body.mfaEnrollment.required).toBe(true)
  }
  const { token } = await comes('alice+mfa')
  expect(claimsIn(token).mfa).toBe(false)
  const enrolled = await withFactor(app, token)
  const { accessToken } = enrolled.enabled.body.tokens
  expect((await app.call(authMe, {}, { token: accessToken })).status).toBe(200)
  expect((await gated(one, accessToken)).status).toBe(201)
  expect(claimsIn((await comes('alice+mfa')).token).mfa, 'now the word of the provider counts').toBe(true)
})

test('without a password factors are removed by a fresh sign-in and the factor itself', async () => {
  await using one = await scene()
  const { app, comes } = one
  const { secret } = await withFactor(app, (await comes()).token)
  const { token, cookies: cookie } = await comes()
  const disable = (body: object) => app.call(mfaDisable, { body: body as never }, { token, headers: { cookie } })
  expect(codes(await disable({ code: '000000' }))).toEqual([400, 'mfa_code_invalid'])
  const done = await disable({ code: codeOf(app, secret) })
  expect(done.status).toBe(200)
  expect(done.body.tokens.accessToken).not.toBe(token)
})

test('a passkey is made and deleted without a password', async () => {
  await using one = await scene()
  const { app, comes } = one
  const { token } = await comes()
  const device = new Authenticator()
  const headers = { origin: 'http://localhost', host: 'localhost' }
  const options = await app.call(passkeyRegisterOptions, { body: {} }, { token, headers })
  const credential = device.create(options.body.options)
  const made = await app.call(passkeyRegisterVerify, { body: { credential } }, { token, headers })
  expect(made.status).toBe(200)
  const bearer = made.body.tokens?.accessToken
  const params = { id: made.body.passkey.id }
  const remove = () => app.call(deletePasskey, { params, body: {} }, { token: bearer })
  aged(one, 16)
  expect(codes(await remove())).toEqual([400, 'sign_in_again'])
  aged(one, 0)
  expect((await remove()).status).toBe(200)
})

test('changing the address needs a factor and keeps the connection to the provider', async () => {
  await using one = await scene()
  const { app, comes } = one
  const { token } = await comes()
  const move = (bearer: string) => app.call(updateMe, { body: { email: 'new@corp.test' } }, { token: bearer })
  expect(codes(await move(token))).toEqual([403, 'email_change_needs_factor'])
  const { enabled } = await withFactor(app, token)
  const { accessToken } = enabled.body.tokens
  expect((await move(accessToken)).status).toBe(200)
  const [mine] = (await app.call(listSsoIdentities, {}, { token: accessToken })).body.data
  const unlinked = await app.call(deleteSsoIdentity, { params: { id: mine?.id ?? '' } }, { token: accessToken })
  expect(codes(unlinked)).toEqual([409, 'last_sign_in_method'])
  expect(auditOf(app, 'sso.identity.unlinked')).toEqual([])
})
