import { expect, test } from 'vitest'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { codeOf } from './kit.ts'

test('the right password makes a session fresh for the next step too, and a wrong one does not', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  app.db.statement("UPDATE sessions SET auth_at = '2020-01-01T00:00:00.000Z'").run()
  const stale = await app.call(mfaSetup, {}, { token })
  expect(stale.body.code).toBe('password_required')
  const wrong = await app.call(mfaSetup, { body: { currentPassword: 'Wrong1Horse' } }, { token })
  expect(wrong.body.code).toBe('invalid_credentials')
  expect((await app.call(mfaSetup, {}, { token })).body.code).toBe('password_required')
  const right = await app.call(mfaSetup, { body: { currentPassword: password } }, { token })
  expect(right.status).toBe(200)
  const enabled = await app.call(mfaEnable, { body: { code: codeOf(app, right.body.secret) } }, { token })
  expect(enabled.status).toBe(200)
})
