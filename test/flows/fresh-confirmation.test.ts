import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { mfaEnable, mfaSetup, phoneConfirm, phoneVerify, rotateRecoveryCodes, smsEnable } from '../../shared/api/mfa.ts'
import { passkeyRegisterOptions, passkeyRegisterVerify } from '../../shared/api/passkeys.ts'
import { updateMe } from '../../shared/api/profile.ts'
import type { Endpoint, InputOf } from '../../shared/endpoint.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** Proofs that a session must show before a call that changes what protects the account. */

const phoneNumber = '+491701234567'
const code = '123456'
const twilio = {
  SMS_PROVIDER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef',
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_FROM: '+491700000000',
}

/** An account with every setup begun, and a session that is no longer fresh. */
async function scene() {
  const app = await testApp({ env: twilio })
  const admin = await bootstrapped(app)
  const call = async (endpoint: Endpoint, body: object) => {
    const input = { body } as InputOf<Endpoint>
    const answer = await app.call(endpoint, input, { token: admin.token })
    return [answer.status, answer.body.code]
  }
  await call(mfaSetup, {})
  await call(passkeyRegisterOptions, { currentPassword: password })
  app.db.statement("UPDATE sessions SET auth_at = '2020-01-01T00:00:00.000Z'").run()
  const user = (values: object) => app.db.run(q.updateTable('users').set(values).where('id', '=', admin.userId))
  return { call, user, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test.each<[Endpoint, object]>([
  [mfaSetup, {}],
  [mfaEnable, { code }],
  [phoneVerify, { phoneNumber }],
  [phoneConfirm, { phoneNumber, code }],
  [smsEnable, {}],
  [rotateRecoveryCodes, {}],
  [passkeyRegisterOptions, {}],
  [updateMe, { email: 'away@x.test' }],
])('a session that is no longer fresh needs the password: $name', async (endpoint, body) => {
  await using one = await scene()
  one.user({ phone_number: phoneNumber, phone_verified: 1 })
  expect(await one.call(endpoint, body)).toEqual([400, 'password_required'])
  expect(await one.call(endpoint, { ...body, currentPassword: 'Wrong1Horse' })).toEqual([400, 'invalid_credentials'])
})

test.each<[Endpoint, object]>([
  [mfaEnable, { code, currentPassword: password }],
  [phoneConfirm, { phoneNumber, code, currentPassword: password }],
  [rotateRecoveryCodes, { currentPassword: password }],
  [passkeyRegisterOptions, { currentPassword: password }],
  [passkeyRegisterVerify, { credential: { id: 'x' } }],
  [updateMe, { email: 'away@x.test', currentPassword: password }],
])('an account with a factor needs the factor as well: $name', async (endpoint, body) => {
  await using one = await scene()
  one.user({ mfa_enabled: 1, mfa_method: 'passkey' })
  expect(await one.call(endpoint, body)).toEqual([403, 'existing_factor_step_up_required'])
})
