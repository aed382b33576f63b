import { expect } from 'vitest'
import { defaultLimits, type LimitName } from '../../server/limits.ts'
import { RateLimits } from '../../server/platform/rate-limit.ts'
import { login, mfaVerify } from '../../shared/api/auth.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { withFactor } from './kit.ts'

const signIn = (app: TestApp, email: string, secret = password) =>
  app.call(login, { body: { email, password: secret } })

test('while attempts cannot be counted, every public sign-in endpoint answers 503 and no cookie changes', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_IP: '10/60' } })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const { tempToken } = (await signIn(app, admin.email)).body
  app.db.statement('ALTER TABLE rate_limits RENAME TO broken').run()
  const post = (path: string, payload: object) =>
    app.inject({
      method: 'POST',
      url: `/api/v1/auth/${path}`,
      payload,
      headers: { cookie: 'svc_refresh_token=x; svc_csrf_token=y' },
    })
  const address = { email: 'new@x.test', name: 'New', password: 'Sturdy1Harbour7Lantern' }
  for (const [path, payload] of [
    ['login', { email: admin.email, password }],
    ['login', { email: 'nobody@x.test', password }],
    ['mfa/verify', { tempToken, code: '123456' }],
    ['register-partner', { ...address, companyName: 'New', acceptTerms: true }],
    ['register', address],
    ['verify-email', { token: 'f'.repeat(64) }],
    ['forgot-password', { email: admin.email }],
  ] as const) {
    const { statusCode, headers, json } = await post(path, payload)
    expect([statusCode, json().error, headers['set-cookie']], path).toEqual([
      503,
      'Service temporarily unavailable',
      undefined,
    ])
  }
  app.db.statement('ALTER TABLE broken RENAME TO rate_limits').run()
  expect((await signIn(app, admin.email)).status).toBe(200)
})

test('all limits against guessing and mailing are stored in the database', async () => {
  await using app = await testApp()
  const inMemory = Object.entries(defaultLimits).flatMap(([name, limit]) => ('isDurable' in limit ? [] : [name]))
  // These limits are about load or end by themselves, not about guessing or mailing.
  expect(inMemory.sort()).toEqual([
    'agent',
    'agent_address',
    'agent_socket',
    'api_key_probe',
    'audit_export',
    'avatar_upload',
    'backup_config_test',
    'backup_download',
    'backup_protection_export',
    'backup_store_refused',
    'device_export',
    'enrollment_ip',
    'enrollment_key_create',
    'global',
    'invite_preview',
    'login_context',
    'passkey_login_options',
    'passkey_options',
    'psa_test',
    'refresh_session',
    'reset_link_check',
    'setup_code',
    'sso_check',
    'sso_discovery',
    'sso_domain_verify',
    'sso_exchange',
    'sso_login',
    'sso_login_target',
    'sso_probe',
    'test_message',
    'unlock_link',
    'verify_email_told',
  ])
  const limits = new RateLimits(app.db, app.clock)
  for (const [name, { max }] of Object.entries(defaultLimits) as [LimitName, { max: number }][]) {
    for (let use = 0; use < max; use++) limits.count(name, 'somebody')
    const restarted = new RateLimits(app.db, app.clock)
    expect(restarted.retryAfterMs(name, 'somebody') > 0, name).toBe(!inMemory.includes(name))
  }
})

test('the variables of the public API set the account lock-out', async () => {
  const wrong = 'Wrong1Horse'
  const wide = { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
  await using strict = await testApp({
    env: { ...wide, LOGIN_ACCOUNT_LOCKOUT_MAX: '2', LOGIN_ACCOUNT_LOCKOUT_WINDOW_SECONDS: '60' },
  })
  const admin = await bootstrapped(strict)
  for (let guess = 0; guess < 2; guess++) await signIn(strict, admin.email, wrong)
  expect((await signIn(strict, admin.email)).status).toBe(401)
  strict.clock.advance(60_000)
  expect((await signIn(strict, admin.email)).status).toBe(200)

  await using off = await testApp({ env: { ...wide, LOGIN_ACCOUNT_LOCKOUT_MAX: '0' } })
  const other = await bootstrapped(off)
  for (let guess = 0; guess < 7; guess++) await signIn(off, other.email, wrong)
  expect((await signIn(off, other.email)).status).toBe(200)
})

test('second factor guesses are limited to five in five minutes, also across restarts', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' } })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const { tempToken } = (await signIn(app, admin.email)).body
  const guess = () => app.call(mfaVerify, { body: { tempToken: String(tempToken), code: 'AAAA-AAAA' } })
  for (let n = 0; n < 5; n++) expect((await guess()).status).toBe(400)
  const { status, body, headers } = await guess()
  expect([status, body.retryAfter, headers['retry-after']]).toEqual([429, 300, '300'])
})
