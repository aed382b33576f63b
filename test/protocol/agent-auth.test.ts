import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { sha256 } from '../../server/platform/secrets.ts'
import { restoreDevice, rotateDeviceToken } from '../../shared/api/devices.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { deviceRowOf, setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** The answer to each kind of token, and when a token ends. */

const app = await testApp()
const { key, org, admin } = await company(app)
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `auth-${++count}`))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const strangerToken = `brz_${randomBytes(32).toString('hex')}`

const refusals = [
  ['no header', null],
  ['another scheme', 'Basic YTpi'],
  ['an empty token', 'Bearer '],
  ['a token with a space', 'Bearer brz_a b'],
] as const

test.each(refusals)('%s is 401 "Missing or invalid Authorization header"', async (_, authorization) => {
  const device = await newDevice()
  const { status, body } = await device.beat({}, { authorization })
  const error = 'Missing or invalid Authorization header'
  expect([status, body]).toEqual([401, { error, message: error, code: 'agent_unauthorized' }])
})

test('a token of another form is 401 "Invalid agent token format"', async () => {
  const device = await newDevice()
  const { status, body } = await device.beat({}, bearer(admin.token))
  const error = 'Invalid agent token format'
  expect([status, body]).toEqual([401, { error, message: error, code: 'agent_token_format' }])
})

test('unknown agent, wrong or foreign token, suspended credential and closed tenant get the same 401', async () => {
  const device = await newDevice()
  const other = await newDevice()
  const unknown = fakeDevice(app, { ...device, agentId: 'f'.repeat(64) })
  const suspended = await newDevice()
  setDevice(app, suspended.deviceId, { agent_token_suspended_at: '2026-03-01T08:00:00.000Z' })
  const helper = await enrolledDevice(app, key.key, 'helper')
  const answers = [
    await unknown.beat(),
    await device.beat({}, bearer(strangerToken)),
    await device.beat({}, bearer(other.authToken)),
    await fakeDevice(app, helper).beat({}, bearer(helper.helperAuthToken)),
    await suspended.beat(),
    // The device id is no agent id.
    await fakeDevice(app, { ...device, agentId: device.deviceId }).beat(),
  ]
  for (const status of ['churned', 'archived', 'purging'] as const) {
    setOrganization(app, org.id, { status })
    answers.push(await device.beat())
  }
  setOrganization(app, org.id, { status: 'active', deleted_at: '2026-03-01T08:00:00.000Z' })
  answers.push(await device.beat())
  setOrganization(app, org.id, { deleted_at: null })
  for (const status of ['pending', 'suspended', 'churned'] as const) {
    setPartner(app, admin.partnerId, { status })
    answers.push(await device.beat())
  }
  setPartner(app, admin.partnerId, { status: 'active' })
  const error = 'Invalid agent credentials'
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    answers.map(() => [401, { error, message: error, code: 'agent_credentials' }]),
  )
  expect((await device.beat()).status, 'the token was kept').toBe(200)
})

test('a device row without any token hash asks for re-enrollment', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { agent_token_hash: null, watchdog_token_hash: null, helper_token_hash: null })
  expect(await device.beat()).toMatchObject({
    status: 401,
    body: { error: 'Re-enrollment required', code: 're_enrollment_required' },
  })
})

test.each([
  ['decommissioned', 'Device has been decommissioned'],
  ['quarantined', 'Device is quarantined pending admin approval'],
] as const)('a %s device is 403 on every route, and nothing of it changes', async (status, error) => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { status })
  const before = deviceRowOf(app, device.deviceId)
  const answers = [
    await device.beat({ lastUser: 'mallory' }),
    await device.request('PUT', 'hardware', {}),
    await device.request('GET', 'commands'),
    await device.request('POST', 'logs', { logs: [] }),
    await device.request('GET', 'unifi-collectors'),
    await device.request('GET', 'no-such-route'),
  ]
  for (const answer of answers) expect(answer).toMatchObject({ status: 403, body: { error, message: error } })
  await app.app.telemetry.flush()
  expect(deviceRowOf(app, device.deviceId)).toEqual(before)
})

test('the previous token is accepted until it expires', async () => {
  const device = await newDevice()
  const expires = new Date(app.clock.now() + 5 * 60_000).toISOString()
  setDevice(app, device.deviceId, { previous_token_hash: sha256(strangerToken), previous_token_expires_at: expires })
  expect((await device.beat({}, bearer(strangerToken))).status).toBe(200)
  app.clock.advance(5 * 60_000)
  expect((await device.beat({}, bearer(strangerToken))).status).toBe(401)
  expect((await device.beat()).status).toBe(200)
})

test('an administrator replaces the tokens: all of the old ones stop at once', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, {
    previous_token_hash: sha256(strangerToken),
    previous_token_expires_at: new Date(app.clock.now() + 60_000).toISOString(),
  })
  const before = deviceRowOf(app, device.deviceId)
  const { status, body } = await app.call(
    rotateDeviceToken,
    { params: { id: device.deviceId } },
    { token: admin.token },
  )
  expect(status).toBe(200)
  const watchdog = { role: 'watchdog' }
  expect((await device.beat()).status).toBe(401)
  expect((await device.beat({}, bearer(strangerToken))).status).toBe(401)
  expect((await device.beat(watchdog, bearer(device.watchdogAuthToken))).status).toBe(401)
  const oldWatchdog = await device.request('GET', 'commands?role=watchdog', undefined, bearer(device.watchdogAuthToken))
  expect(oldWatchdog.status).toBe(401)
  expect((await device.beat({}, bearer(body.authToken))).status).toBe(200)
  expect((await device.beat(watchdog, bearer(body.watchdogAuthToken))).status).toBe(200)
  const after = deviceRowOf(app, device.deviceId)
  expect(after?.helper_token_hash).toBe(sha256(body.helperAuthToken))
  expect(after?.helper_token_hash).not.toBe(before?.helper_token_hash)
  expect(after).toMatchObject({ agent_id: device.agentId, previous_token_hash: null })
})

test('watchdog tokens reach heartbeat, commands and logs, and are 403 on uploads', async () => {
  const device = await newDevice()
  const watchdog = bearer(device.watchdogAuthToken)
  expect((await device.beat({ role: 'watchdog' }, watchdog)).status).toBe(200)
  expect((await device.request('GET', 'commands?role=watchdog', undefined, watchdog)).status).toBe(200)
  expect((await device.request('POST', 'logs', { logs: [] }, watchdog)).status).toBe(201)
  for (const upload of ['hardware', 'software', 'sessions', 'security/recovery-keys'])
    expect((await device.request('PUT', upload, {}, watchdog)).status, upload).toBe(403)
})

test('a declared role other than that of the token is 401 re_enrollment_required', async () => {
  const device = await newDevice()
  expect(await device.beat({ role: 'watchdog' })).toMatchObject({
    status: 401,
    body: { code: 're_enrollment_required', expected: 'agent', declared: 'watchdog' },
  })
  expect((await device.beat({ role: 'agent' }, bearer(device.watchdogAuthToken))).body).toMatchObject({
    code: 're_enrollment_required',
    expected: 'watchdog',
    declared: 'agent',
  })
})

test('an agent token is 401 on a user endpoint', async () => {
  const device = await newDevice()
  const response = await app.inject({
    url: '/api/v1/devices',
    headers: { authorization: `Bearer ${device.authToken}` },
  })
  expect(response.statusCode).toBe(401)
})

test('the routes for users beside those of agents accept a user session', async () => {
  const asUser = { authorization: `Bearer ${admin.token}` }
  expect((await app.inject({ url: '/api/v1/agents/quarantined', headers: asUser })).statusCode).toBe(200)
  const device = await newDevice()
  for (const verb of ['approve', 'deny'])
    expect(
      (await app.inject({ method: 'POST', url: `/api/v1/agents/${device.deviceId}/${verb}`, headers: asUser })).json(),
    ).toMatchObject({ error: 'Device is not quarantined' })
})

test('an approved device works again, a denied one is decommissioned and its commands are cancelled', async () => {
  const asUser = { authorization: `Bearer ${admin.token}` }
  passFactor(app, admin.token)
  const decide = (id: string, verb: string) =>
    app.inject({ method: 'POST', url: `/api/v1/agents/${id}/${verb}`, headers: asUser })
  const [good, bad] = [await newDevice(), await newDevice()]
  const queued = await app.inject({
    method: 'POST',
    url: `/api/v1/devices/${bad.deviceId}/commands`,
    headers: asUser,
    payload: { type: 'reboot' },
  })
  expect(queued.statusCode).toBe(201)
  for (const { deviceId } of [good, bad])
    setDevice(app, deviceId, { status: 'quarantined', quarantined_at: '2026-03-01T08:00:00.000Z' })
  expect((await decide(good.deviceId, 'approve')).json()).toEqual({ success: true, mtls: null })
  expect((await decide(bad.deviceId, 'deny')).json()).toEqual({ success: true })
  expect((await good.beat()).status).toBe(200)
  expect(deviceRowOf(app, good.deviceId)).toMatchObject({ status: 'online', quarantined_at: null })
  expect((await bad.beat()).body).toMatchObject({ error: 'Device has been decommissioned' })
  expect(app.db.all(q.selectFrom('device_commands').select('status').where('device_id', '=', bad.deviceId))).toEqual([
    { status: 'cancelled' },
  ])
  expect(deviceRowOf(app, bad.deviceId)?.quarantined_at, 'says that restoring it approves it').not.toBeNull()
  await app.call(restoreDevice, { params: { id: bad.deviceId } }, { token: admin.token })
  expect(deviceRowOf(app, bad.deviceId)).toMatchObject({ status: 'offline', quarantined_at: null })
  expect((await bad.beat()).status).toBe(200)
})

test('sixty requests a minute from one address, then 429 with Retry-After; another address still gets through', async () => {
  await using narrow = await testApp()
  const { device: enrolled } = await company(narrow)
  const device = fakeDevice(narrow, enrolled)
  for (let n = 0; n < 60; n++) expect((await device.request('GET', 'unifi-collectors')).status).toBe(200)
  narrow.clock.advance(15_000)
  const refused = await device.beat()
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '45' },
    body: { error: 'Too many requests', retryAfter: 45 },
  })
  const elsewhere = { remoteAddress: '10.0.0.8' }
  for (let n = 0; n < 60; n++) expect((await device.request('GET', 'config', undefined, elsewhere)).status).toBe(200)
  const third = await device.request('GET', 'config', undefined, { remoteAddress: '10.0.0.9' })
  expect(third.status, '120 a minute for one agent, wherever it is').toBe(429)
  narrow.clock.advance(45_000)
  expect((await device.beat()).status).toBe(200)
})

test('a jump of the wall clock neither opens nor closes a rate limit', async () => {
  await using narrow = await testApp({ env: { HOMEPORT_LIMIT_AGENT_ADDRESS: '2/60' } })
  const { device: enrolled } = await company(narrow)
  const device = fakeDevice(narrow, enrolled)
  await device.beat()
  await device.beat()
  narrow.clock.jump(3_600_000)
  expect((await device.beat()).status).toBe(429)
  narrow.clock.jump(-7_200_000)
  narrow.clock.advance(60_000)
  expect((await device.beat()).status).toBe(200)
})

test('made-up agent ids share one rate-limit window per address', async () => {
  await using narrow = await testApp()
  const { device: enrolled } = await company(narrow)
  const device = fakeDevice(narrow, enrolled)
  const madeUp = () => fakeDevice(narrow, { ...enrolled, agentId: randomBytes(32).toString('hex') }).beat()
  for (let n = 0; n < 60; n++) expect((await madeUp()).status).toBe(401)
  expect((await madeUp()).status).toBe(429)
  expect((await device.beat()).status, 'a device at the same address has a window of its own').toBe(200)
})

test('a caller who only knows its agent id cannot use up the rate limit of a device', async () => {
  await using narrow = await testApp()
  const { device: enrolled } = await company(narrow)
  const device = fakeDevice(narrow, enrolled)
  for (const host of [1, 2, 3])
    for (let n = 0; n < 60; n++) await device.beat({}, { ...bearer(strangerToken), remoteAddress: `10.0.0.${host}` })
  expect((await device.beat()).status).toBe(200)
})
