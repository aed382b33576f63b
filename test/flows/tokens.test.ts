import { expect, test } from 'vitest'
import { login, mfaVerify } from '../../shared/api/auth.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { bootstrapped, member, organizationOf, password } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { CookieJar, claimsIn, codeOf, withFactor } from './kit.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

test.each(['partner', 'organization', 'system'] as const)(
  'a token of scope %s has the claims of its owner',
  async (scope) => {
    await using app = await testApp()
    const { partnerId, token } = await bootstrapped(app)
    const org = await organizationOf(app, token)
    const { id, email } = await member(app, { email: 'm@x.test', scope, partnerId, orgId: org.id })
    const answer = await app.call(login, { body: { email, password } })
    const issuedAt = Math.floor(app.clock.now() / 1000)
    const both = {
      sub: id,
      email,
      scope,
      partnerId: scope === 'system' ? null : partnerId,
      orgId: scope === 'organization' ? org.id : null,
      roleId: scope === 'system' ? null : uuid,
      mfa: false,
      aep: 1,
      mep: 1,
      iss: 'svc',
      aud: 'svc-api',
      iat: issuedAt,
    }
    const access = claimsIn(answer.body.tokens?.accessToken ?? '')
    expect(access).toEqual({ ...both, type: 'access', sid: uuid, exp: issuedAt + 900 })
    const refresh = claimsIn(new CookieJar().take(answer).cookies.get('svc_refresh_token') ?? '')
    expect(refresh).toEqual({ ...both, type: 'refresh', fam: access.sid, jti: uuid, exp: issuedAt + 604_800 })
  },
)

test('a token claims a second factor once it was shown', async () => {
  await using app = await testApp()
  const { email, token } = await bootstrapped(app)
  const { secret, enabled } = await withFactor(app, token)
  expect(claimsIn(enabled.body.tokens.accessToken)).toMatchObject({ mfa: true, aep: 1, mep: 2 })
  const { body } = await app.call(login, { body: { email, password } })
  if (!body.mfaRequired) throw new Error('no challenge')
  const answer = await app.call(mfaVerify, { body: { tempToken: body.tempToken, code: codeOf(app, secret) } })
  expect(claimsIn(answer.body.tokens?.accessToken ?? '')).toMatchObject({ mfa: true, mep: 2 })
})

test('a token has the epoch of its account, which a new password raises', async () => {
  await using app = await testApp()
  const { email, token } = await bootstrapped(app)
  const newPassword = 'Another1Horse'
  await app.call(changePassword, { body: { currentPassword: password, newPassword } }, { token })
  const { body } = await app.call(login, { body: { email, password: newPassword } })
  expect(claimsIn(body.tokens?.accessToken ?? '')).toMatchObject({ aep: 2, mep: 1 })
})
