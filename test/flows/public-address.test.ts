import { expect, test } from 'vitest'
import { passkeyRegisterOptions } from '../../shared/api/passkeys.ts'
import { forgotPassword } from '../../shared/api/passwords.ts'
import { listSsoPresets } from '../../shared/api/sso-providers.ts'
import { connectionInfo } from '../../shared/api/system.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { linkIn, mailOf, mailToFiles } from '../helpers/mail.ts'
import { testApp } from '../helpers/test-app.ts'

const names = {
  PUBLIC_URL: 'https://a.acme.test',
  PUBLIC_APP_URL: 'https://b.acme.test',
  DASHBOARD_URL: 'https://c.acme.test',
}

test.each([
  [names, names.PUBLIC_URL],
  [{ ...names, PUBLIC_URL: '' }, names.PUBLIC_APP_URL],
  [{ DASHBOARD_URL: names.DASHBOARD_URL }, names.DASHBOARD_URL],
])('mail, single sign-on, passkeys and devices use the same public address (%o)', async (env, origin) => {
  await using app = await testApp({ env: { ...mailToFiles, ...env } })
  const { token, email } = await bootstrapped(app)
  await app.call(forgotPassword, { body: { email } })
  expect(linkIn(await mailOf(app, 'password-reset')).origin).toBe(origin)
  expect((await app.call(listSsoPresets, {}, { token })).body.callbackUrl).toBe(`${origin}/api/v1/sso/callback`)
  const info = (await app.call(connectionInfo, {}, { token })).body
  expect(info.addresses[0]).toEqual({ url: origin, kind: 'configured' })
  const body = { currentPassword: password, name: 'Key' }
  const options = await app.call(
    passkeyRegisterOptions,
    { body },
    { token, headers: { origin, host: '127.0.0.1:8443' } },
  )
  expect(options.body.options).toMatchObject({ rp: { id: new URL(origin).hostname } })
})
