import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { createApiKey, rotateApiKey } from '../../shared/api/api-keys.ts'
import { login, logout, mfaVerify, refresh } from '../../shared/api/auth.ts'
import { runScript } from '../../shared/api/commands.ts'
import { listDevices, rotateDeviceToken } from '../../shared/api/devices.ts'
import { createEnrollmentKey, readEnrollmentKey, rotateEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { previewInviteByUrl } from '../../shared/api/invitations.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import {
  createSsoProvider,
  readSsoProvider,
  setSsoProviderStatus,
  testSsoProvider,
  updateSsoProvider,
} from '../../shared/api/sso-providers.ts'
import { bootstrap } from '../../shared/api/system.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { bootstrapped, enrollBody } from '../helpers/factories.ts'
import { mailToFiles } from '../helpers/mail.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { passFactor } from '../helpers/sessions.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { administratorCalls, signInCalls } from './calls-with-secrets.ts'
import { forUsers, isStream, type Request } from './kit.ts'
import { RecordedAnswers, says } from './recorded-answers.ts'

const password = 'Swordfish4Ever'
const enrollmentSecret = 'a-secret-of-the-site-itself'

/** A whole working day, with every answer kept. */
async function aDay(recorded: RecordedAnswers) {
  const { app } = recorded
  const call = recorded.call.bind(recorded)
  const keep = recorded.allow.bind(recorded)
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
  passFactor(app, token)
  await call(runScript, { params, ...body({ language: 'bash', content: 'true' }) })
  const rotated = (await call(rotateDeviceToken, { params, token })).body
  keep(rotateDeviceToken, rotated.authToken, rotated.watchdogAuthToken, rotated.helperAuthToken)
  keep(rotateEnrollmentKey, (await call(rotateEnrollmentKey, { params: { id: key.id }, ...body({}) })).body.key)
  await call(readEnrollmentKey, { params: { id: key.id }, token })

  const apiKey = (await call(createApiKey, body({ orgId: org.id, name: 'k', scopes: ['devices:read'] }))).body
  keep(createApiKey, apiKey.key)
  const byKey = { headers: { 'x-api-key': apiKey.key } }
  await call(listDevices, byKey)
  await call(logout, byKey)
  keep(rotateApiKey, (await call(rotateApiKey, { params: { id: apiKey.id }, token })).body.key)
  await call(listDevices, byKey)

  const setup = (await call(mfaSetup, { token })).body
  keep(mfaSetup, setup.secret, ...setup.recoveryCodes)
  const code = () => generateSync({ secret: setup.secret, epoch: Math.floor(app.clock.now() / 1000) })
  recorded.forbid(code())
  const enabled = await call(mfaEnable, body({ code: code() }))
  keep(mfaEnable, enabled.body.tokens.accessToken)
  keep(mfaEnable, ...setup.recoveryCodes)
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
  await singleSignOn(recorded, enabled.body.tokens.accessToken, org.id)
  await call(login, { body: { email: first.email, password: `${password}x` } })
  await call(login, { payload: `{"email":"ada@acme.test","password":"${password}",}` })
  await call(login, { payload: `{"email":"ada@acme.test","password":"${password}"` })
  await call(login, { payload: `"${password}"` })
  await call(enroll, { payload: `{"enrollmentKey": ${key.key}}` })
  recorded.forbid(password, setupCode, enrollmentSecret)
  return { token: enabled.body.tokens.accessToken as string, device }
}

/** One of the secrets has the form of an encrypted value. */
async function singleSignOn(recorded: RecordedAnswers, token: string, orgId: string): Promise<void> {
  const secrets = ['provider-Secret-64221', 'v1:provider-Secret-64222']
  recorded.forbid(...secrets)
  const body = { orgId, name: 'Corp sign-in', type: 'oidc', clientId: 'homeport', clientSecret: secrets[0] }
  const made = await recorded.call(createSsoProvider, { body, token })
  if (made.status !== 201) throw new Error(`identity provider: ${made.text}`)
  const params = { id: made.body.data.id }
  await recorded.call(updateSsoProvider, { params, body: { clientSecret: secrets[1] }, token })
  await recorded.call(updateSsoProvider, { params, body: { clientSecret: { of: secrets[1] } }, token })
  await recorded.call(setSsoProviderStatus, { params, body: { status: 'active' }, token })
  await recorded.call(testSsoProvider, { params, token })
  await recorded.call(readSsoProvider, { params, token })
}

/** The stored forms of the secrets, which must not leak either. */
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
    ...column('settings', 'value').flatMap((text) => text.match(/v1:[^"]+/g) ?? []),
    ...column('enrollment_keys', 'key'),
    ...column('sso_providers', 'client_secret'),
    ...column('api_keys', 'key_hash'),
    ...['agent', 'watchdog', 'helper', 'previous'].flatMap((role) => column('devices', `${role}_token_hash`)),
    ...Object.values(ring).flat(),
  ]
}

/** Reads everything there is, stops, and looks for secrets where none may be. */
async function expectDiscretion(
  recorded: RecordedAnswers,
  params: Record<string, string>,
  token: string,
): Promise<void> {
  const { app, endpointsBySecret } = recorded
  for (const endpoint of forUsers.filter((one) => one.method === 'GET' && !isStream(one)))
    await recorded.call(endpoint, { params, token })
  await recorded.call(logout, { token })
  await app.app.stop()
  const stored = storedSecrets(app)
  const rowsOf = (table: string) =>
    app.db
      .statement(`SELECT * FROM "${table}"`)
      .all()
      .map((row) => JSON.stringify(row))
  const audit = rowsOf('audit_logs')
  expect(audit.length).toBeGreaterThan(5)
  expect(app.logLines.length).toBeGreaterThan(0)
  const inPlaces = (secret: string) => [app.logLines, audit].flat().filter((text) => says(text, secret))
  for (const secret of [...endpointsBySecret.keys(), ...stored])
    expect(inPlaces(secret), `${secret} is told`).toEqual([])
  expect(recorded.leaks(stored)).toEqual([])
  // Tokens, keys and codes are kept as hashes or sealed, never as they are; this includes the mail that was queued.
  const kept = Object.keys(app.rowCounts()).flatMap(rowsOf).join('\n')
  expect([...endpointsBySecret.keys()].filter((secret) => says(kept, secret))).toEqual([])
}

test('no password, token, key, code or hash gets into the log, the audit log, the database or another answer', async () => {
  await using gateway = await smsGateway()
  const key = { SMS_GATEWAY_HEADER_NAME: 'X-Key', SMS_GATEWAY_HEADER_VALUE: 'gateway-Header-7421' }
  const env = { AGENT_ENROLLMENT_SECRET: enrollmentSecret, ...mailToFiles, ...gateway.env, ...key }
  await using app = await testApp({ logs: true, env })
  const recorded = new RecordedAnswers(app)
  const { token, device } = await aDay(recorded)
  await signInCalls(recorded, gateway)
  recorded.forbid(key.SMS_GATEWAY_HEADER_VALUE)
  expect(recorded.endpointsBySecret.size).toBeGreaterThan(60)
  expect(storedSecrets(app).length).toBeGreaterThan(30)
  await expectDiscretion(recorded, { id: device.deviceId }, token)
})

test('secrets in the settings of mail and text messages do not get anywhere else', async () => {
  await using server = await mailServer()
  await using app = await testApp({ logs: true, env: { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' } })
  const recorded = new RecordedAnswers(app)
  const { token } = await bootstrapped(app)
  await administratorCalls(recorded, token, { mail: server.port, nobody: await freePort() })
  await expectDiscretion(recorded, {}, token)
})

test('every endpoint takes its secrets in the body or in a header, none in its address', () => {
  const telling = /password|token|secret|code|key$/i
  // That one is there to refuse.
  for (const { name, path } of allEndpoints.filter((endpoint) => endpoint !== previewInviteByUrl)) {
    const params = [...path.matchAll(/:(\w+)/g)].map(([, param = '']) => param)
    expect(
      params.filter((param) => telling.test(param)),
      name,
    ).toEqual([])
  }
})
