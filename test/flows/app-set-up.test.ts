import { expect } from 'vitest'
import { login } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { codeOf, withFactor } from './kit.ts'

/** Enrolling an authenticator app when the setup is started more than once. */

const begin = async (app: TestApp, token: string, body: { resume?: boolean; replace?: boolean } = { resume: true }) =>
  (await app.call(mfaSetup, { body }, { token })).body
const confirm = (app: TestApp, token: string, code: string) => app.call(mfaEnable, { body: { code } }, { token })
const signedIn = async (app: TestApp, email: string) =>
  String((await app.call(login, { body: { email, password } })).body.tokens?.accessToken)
const refusal = { status: 400, body: { code: 'mfa_code_invalid' } }

test('resuming a setup returns the same secret and recovery codes until the setup expires', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const first = await begin(app, token)
  app.clock.advance(5 * 60_000)
  expect(await begin(app, token)).toEqual(first)
  app.clock.advance(5 * 60_000)
  expect((await confirm(app, token, codeOf(app, first.secret))).body.code).toBe('mfa_setup_missing')
  const next = await begin(app, token)
  expect(next.secret).not.toBe(first.secret)
  const enabled = await confirm(app, token, codeOf(app, next.secret))
  expect([enabled.status, enabled.body.recoveryCodes]).toEqual([200, next.recoveryCodes])
})

test('without `resume` a setup gets a new secret, and a code of the older one is refused as superseded', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const first = await begin(app, token, {})
  const second = await begin(app, token, {})
  expect(second.secret).not.toBe(first.secret)
  const late = await confirm(app, token, codeOf(app, first.secret))
  expect(late).toMatchObject({ ...refusal, body: { reason: 'superseded' } })
  const wrong = await confirm(app, token, codeOf(app, first.secret, 7))
  expect(wrong).toMatchObject(refusal)
  expect(wrong.body).not.toHaveProperty('reason')
  expect((await confirm(app, token, codeOf(app, second.secret))).status).toBe(200)
})

test('a setup begun in one session is not resumed in another', async () => {
  await using app = await testApp()
  const { token, email } = await bootstrapped(app)
  const mine = await begin(app, token)
  const there = await signedIn(app, email)
  const theirs = await begin(app, there)
  expect(theirs.secret).not.toBe(mine.secret)
  expect(theirs.recoveryCodes).not.toEqual(mine.recoveryCodes)
  expect(await confirm(app, token, codeOf(app, mine.secret))).toMatchObject({ body: { reason: 'superseded' } })
  expect((await confirm(app, there, codeOf(app, theirs.secret))).status).toBe(200)
})

test('a setup begun before the factors changed is not resumed', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const { secret } = await withFactor(app, token)
  const next = await begin(app, token, { resume: true, replace: true })
  expect(next.secret).not.toBe(secret)
  expect(await begin(app, token, { resume: true, replace: true })).toEqual(next)
  expect(await begin(app, token, { resume: true })).toMatchObject({ code: 'mfa_already_enabled' })
})

test('current and superseded secrets are stored only sealed', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const secrets = [await begin(app, token, {}), await begin(app, token, {})].map(({ secret }) => secret)
  const kept = app.db.statement("SELECT payload FROM one_time_secrets WHERE kind = 'mfa_setup'").pluck().all().join()
  expect(kept).toContain('sealed')
  for (const secret of secrets) expect(kept).not.toContain(secret)
})
