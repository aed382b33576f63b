import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { login, logout, mfaVerify, refresh } from '../../shared/api/auth.ts'
import { runScript } from '../../shared/api/commands.ts'
import { rotateDeviceToken } from '../../shared/api/devices.ts'
import { createEnrollmentKey, readEnrollmentKey, rotateEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { createOrganization, createSite } from '../../shared/api/organizations.ts'
import { bootstrap } from '../../shared/api/system.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { enrollBody } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { forUsers, isStream, type Request, send } from './kit.ts'

const password = 'Swordfish4Ever'
const enrollmentSecret = 'a-secret-of-the-site-itself'

/** Whatever the appliance was told or told in confidence, and the one place that may say it. */
type Confidences = Map<string, string>

/** A whole working day, with every answer kept. */
async function aDay(app: TestApp) {
  const answers: { name: string; text: string }[] = []
  const confidences: Confidences = new Map()
  const call = async <E extends Endpoint>(endpoint: E, request: Request = {}) => {
    const answer = await send(app, endpoint, request)
    answers.push({ name: endpoint.name, text: answer.text })
    for (const cookie of answer.response.cookies) if (cookie.value) confidences.set(cookie.value, 'cookie')
    return answer
  }
  const keep = (by: Endpoint, ...secrets: string[]) => {
    for (const secret of secrets) confidences.set(secret, by.name)
  }

  app.app.bootstrap.setupCode()
  const setupCode = readFileSync(join(app.dataDir, 'setup-code'), 'utf8').trim()
  const first = { setupCode, companyName: 'Acme', name: 'Ada', email: 'ada@acme.test', password }
  const made = await call(bootstrap, { body: first })
  const token: string = made.body.tokens.accessToken
  keep(bootstrap, token)
  const body = (value: unknown): Request => ({ body: value, token })

  const org = (await call(createOrganization, body({ name: 'Berlin', slug: 'berlin' }))).body
  const site = (await call(createSite, body({ orgId: org.id, name: 'HQ' }))).body
  const key = (await call(createEnrollmentKey, body({ name: 'k', orgId: org.id, siteId: site.id, maxUsage: 9 }))).body
  keep(createEnrollmentKey, key.key)
  const device = (await call(enroll, { body: { ...enrollBody(key.key), enrollmentSecret } })).body
  keep(enroll, device.authToken, device.watchdogAuthToken, device.helperAuthToken)
  await call(enroll, { body: { ...enrollBody('0'.repeat(64)), enrollmentSecret } })
  const params = { agentId: device.agentId, id: device.deviceId }
  await call(heartbeat, { params, body: { status: 'ok', agentVersion: '1' }, token: device.authToken })
  await call(heartbeat, { params, body: { status: 'ok', agentVersion: '1' }, token: `${device.authToken}x` })
  await call(runScript, { params, ...body({ language: 'bash', content: 'true' }) })
  keep(rotateDeviceToken, (await call(rotateDeviceToken, { params, token })).body.authToken)
  keep(rotateEnrollmentKey, (await call(rotateEnrollmentKey, { params: { id: key.id }, ...body({}) })).body.key)
  await call(readEnrollmentKey, { params: { id: key.id }, token })

  const setup = (await call(mfaSetup, { token })).body
  keep(mfaSetup, setup.secret)
  for (const code of setup.recoveryCodes) keep(mfaSetup, code)
  const code = () => generateSync({ secret: setup.secret, epoch: Math.floor(app.clock.now() / 1000) })
  keep(mfaSetup, code())
  const enabled = await call(mfaEnable, body({ code: code() }))
  keep(mfaEnable, enabled.body.tokens.accessToken)
  for (const code of setup.recoveryCodes) confidences.set(code, 'auth.mfa-setup auth.mfa-enable')
  app.clock.advance(60_000)
  for (const answer of [code(), setup.recoveryCodes[0], 'ZZZZ-ZZZZ']) {
    const challenge = (await call(login, { body: { email: first.email, password } })).body
    keep(login, challenge.tempToken)
    const done = await call(mfaVerify, { body: { tempToken: challenge.tempToken, code: answer } })
    if (done.status === 200) keep(mfaVerify, done.body.tokens.accessToken)
  }
  const cookies = Object.fromEntries(enabled.response.cookies.map(({ name, value }) => [name, value]))
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  for (const csrf of ['1', '1']) {
    const next = await call(refresh, { headers: { cookie, 'x-svc-csrf': csrf } })
    if (next.status === 200) keep(refresh, next.body.tokens.accessToken)
  }
  await call(login, { body: { email: first.email, password: `${password}x` } })
  await call(login, { payload: `{"email":"ada@acme.test","password":"${password}",}` })
  await call(login, { payload: `{"email":"ada@acme.test","password":"${password}"` })
  await call(login, { payload: `"${password}"` })
  await call(enroll, { payload: `{"enrollmentKey": ${key.key}}` })
  confidences.set(password, 'nobody').set(setupCode, 'nobody').set(enrollmentSecret, 'nobody')
  return { answers, confidences, token: enabled.body.tokens.accessToken as string, ids: { org, device, key }, call }
}

/** What is kept of the secrets: nobody outside needs it either. */
function storedSecrets(app: TestApp): string[] {
  const column = (table: string, name: string) =>
    app.db.statement(`SELECT ${name} FROM ${table} WHERE ${name} IS NOT NULL`).pluck().all() as string[]
  const ring = JSON.parse(readFileSync(join(app.dataDir, 'keyring.json'), 'utf8')) as Record<string, string | string[]>
  return [
    ...column('users', 'password_hash'),
    ...column('users', 'mfa_secret'),
    ...column('users', 'mfa_recovery_codes').flatMap((text) => JSON.parse(text) as string[]),
    ...column('sessions', 'token_hash'),
    ...column('one_time_secrets', 'key_hash'),
    ...column('enrollment_keys', 'key'),
    ...['agent', 'watchdog', 'helper', 'previous'].flatMap((role) => column('devices', `${role}_token_hash`)),
    ...Object.values(ring).flat(),
  ]
}

test('no password, token, key, code or hash gets into the log, the audit trail or another answer', async () => {
  await using app = await testApp({ logs: true, env: { AGENT_ENROLLMENT_SECRET: enrollmentSecret } })
  const { answers, confidences, token, call, ids } = await aDay(app)
  for (const endpoint of forUsers.filter((one) => one.method === 'GET' && !isStream(one)))
    await call(endpoint, { params: { id: ids.device.deviceId }, token })
  await call(logout, { token })
  await app.app.stop()

  const stored = storedSecrets(app)
  expect(confidences.size).toBeGreaterThan(25)
  expect(stored.length).toBeGreaterThan(15)
  const audit = app.db
    .statement('SELECT * FROM audit_logs')
    .all()
    .map((row) => JSON.stringify(row))
  expect(audit.length).toBeGreaterThan(10)
  expect(app.logLines.length).toBeGreaterThan(0)
  for (const secret of [...confidences.keys(), ...stored]) {
    expect(
      app.logLines.filter((line) => line.includes(secret)),
      'the log',
    ).toEqual([])
    expect(
      audit.filter((row) => row.includes(secret)),
      'the audit trail',
    ).toEqual([])
  }
  for (const { name, text } of answers) {
    for (const [secret, by] of confidences)
      if (text.includes(secret) && secret.length > 6) expect(by.split(' '), `${name} says ${secret}`).toContain(name)
    for (const secret of stored) expect(text.includes(secret), `${name} shows something stored: ${secret}`).toBe(false)
  }
})

test('the database keeps tokens, keys and codes as hashes or sealed, never as they are', async () => {
  await using app = await testApp({ env: { AGENT_ENROLLMENT_SECRET: enrollmentSecret } })
  const { confidences } = await aDay(app)
  const tables = Object.keys(app.rowCounts())
  const kept = tables.map((table) => JSON.stringify(app.db.statement(`SELECT * FROM "${table}"`).all())).join('\n')
  for (const [secret, by] of confidences)
    if (secret.length > 6) expect(kept.includes(secret), `a secret of ${by} lies in the database`).toBe(false)
})

test('every endpoint takes its secrets in the body or in a header, none in its address', () => {
  const telling = /password|token|secret|code|key$/i
  for (const { name, path } of allEndpoints) {
    const params = [...path.matchAll(/:(\w+)/g)].map(([, param = '']) => param)
    expect(
      params.filter((param) => telling.test(param)),
      name,
    ).toEqual([])
  }
})
