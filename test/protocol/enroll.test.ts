import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { sha256 } from '../../server/platform/secrets.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { company, enrollBody, enrolledDevice, enrollmentKeyOf, organizationOf, siteOf } from '../helpers/factories.ts'
import { fakeDevice, listening } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** The checks of an enrollment in their order. */

const app = await testApp()
const { admin, org, site, key } = await company(app)
afterAll(() => app[Symbol.asyncDispose]())

type Wanted = { key?: string; hostname?: string; headers?: Record<string, string>; body?: Record<string, unknown> }
let count = 0
const unused = () => `host-${++count}`

async function enroll({ key: raw = key.key, hostname = unused(), headers = {}, body = {} }: Wanted = {}) {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/agents/enroll',
    headers: { 'content-type': 'application/json', ...headers },
    payload: { ...enrollBody(raw, hostname), ...body },
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

const setKey = (id: string, values: Record<string, unknown>) =>
  app.db.run(q.updateTable('enrollment_keys').set(values).where('id', '=', id))
const newKey = (wanted: { maxUsage?: number; siteId?: string } = {}) => {
  app.clock.advance(60_000)
  return enrollmentKeyOf(app, admin.token, { orgId: org.id, siteId: site.id, ...wanted })
}
const usesOf = (id: string) =>
  app.db.first(q.selectFrom('enrollment_keys').select('usage_count').where('id', '=', id))?.usage_count
const presenting = (token: string) => ({ 'x-agent-reenrollment-token': token })

/** Runs a refused enrollment and shows that nothing but one audit event came of it. */
async function refused(wanted: Wanted, isAudited = true) {
  const before: Record<string, number | undefined> = { ...app.rowCounts(), uses: usesOf(key.id) }
  const answer = await enroll(wanted)
  const after = { ...app.rowCounts(), uses: usesOf(key.id) }
  expect(after).toEqual({ ...before, audit_logs: (before.audit_logs ?? 0) + (isAudited ? 1 : 0) })
  return { status: answer.status, body: answer.body }
}

test.each([
  ['an empty key', { enrollmentKey: '' }, 'enrollmentKey'],
  ['no hostname', { hostname: undefined }, 'hostname'],
  ['an unknown system', { osType: 'darwin' }, 'osType'],
  ['a number as version', { agentVersion: 5 }, 'agentVersion'],
  ['an over-long hostname', { hostname: 'x'.repeat(256) }, 'hostname'],
])('%s is a 400 that names the field', async (_, body, field) => {
  expect(await refused({ body }, false)).toMatchObject({
    status: 400,
    body: {
      error: expect.stringContaining(field),
      details: { formErrors: [], fieldErrors: { [field]: [expect.any(String)] } },
    },
  })
})

test('a body that is no JSON is a 400, one over the limit a 413', async () => {
  const send = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/agents/enroll',
      headers: { 'content-type': 'application/json' },
      payload,
    })
  expect((await send('{"enrollmentKey":')).statusCode).toBe(400)
  expect((await send(JSON.stringify({ padding: 'x'.repeat(300_000) }))).statusCode).toBe(413)
})

test('malformed optional facts are dropped', async () => {
  const body = {
    deviceRole: 'toaster',
    isVirtual: 'yes',
    virtualizationPlatform: 'bhyve',
    hardwareInfo: 'x',
    networkInfo: {},
  }
  const { status, body: enrolled } = await enroll({ body })
  expect(status).toBe(201)
  expect(deviceRowOf(app, enrolled.deviceId)).toMatchObject({ device_role: 'unknown', is_virtual: 0 })
})

test('an unknown key is 401 enrollment_key_not_found, and so is a hash from the table', async () => {
  const stored = app.db.first(q.selectFrom('enrollment_keys').select('key').where('id', '=', key.id))?.key as string
  for (const raw of ['0'.repeat(64), stored, ` ${key.key}`])
    expect(await refused({ key: raw }, false)).toMatchObject({
      status: 401,
      body: { error: 'Enrollment key not recognized', reason: 'enrollment_key_not_found' },
    })
})

test('a key is 401 enrollment_key_expired from the very instant it expires', async () => {
  const short = await newKey()
  setKey(short.id, { expires_at: new Date(app.clock.now() + 1000).toISOString() })
  expect((await enroll({ key: short.key })).status).toBe(201)
  app.clock.advance(1000)
  expect(await refused({ key: short.key })).toMatchObject({ status: 401, body: { reason: 'enrollment_key_expired' } })
})

test('a used-up key is 401 enrollment_key_exhausted, unless it is expired, too', async () => {
  const once = await newKey({ maxUsage: 1 })
  expect((await enroll({ key: once.key })).status).toBe(201)
  expect(await refused({ key: once.key })).toMatchObject({ status: 401, body: { reason: 'enrollment_key_exhausted' } })
  setKey(once.id, { expires_at: '2026-01-01T00:00:00.000Z' })
  expect((await refused({ key: once.key })).body.reason).toBe('enrollment_key_expired')
  expect(usesOf(once.id)).toBe(1)
})

test('a key with a secret demands it, in the body or the header', async () => {
  const guarded = await newKey()
  setKey(guarded.id, { key_secret_hash: sha256('open sesame') })
  const raw = guarded.key
  expect(await refused({ key: raw })).toMatchObject({ status: 403, body: { error: 'Enrollment secret required' } })
  expect(await refused({ key: raw, body: { enrollmentSecret: 'open barley' } })).toMatchObject({
    status: 403,
    body: { error: 'Invalid enrollment secret' },
  })
  expect(usesOf(guarded.id)).toBe(0)
  expect((await enroll({ key: raw, body: { enrollmentSecret: 'open sesame' } })).status).toBe(201)
  expect((await enroll({ key: raw, headers: { 'x-agent-enrollment-secret': 'open sesame' } })).status).toBe(201)
})

test('the enrollment secret of the appliance is required for keys that have none', async () => {
  await using guarded = await testApp({ env: { AGENT_ENROLLMENT_SECRET: 'house rule' } })
  const tried = company(guarded)
  await expect(tried).rejects.toThrow('Enrollment secret required')
})

test('a key without a site places the device at the oldest site, and an organization without a site is a 400', async () => {
  const other = await organizationOf(app, admin.token, 'Two Sites')
  const nowhere = await enrollmentKeyOf(app, admin.token, { orgId: other.id })
  expect(await refused({ key: nowhere.key })).toMatchObject({
    status: 400,
    body: { error: 'Enrollment key must be associated with a site' },
  })
  const oldest = await siteOf(app, admin.token, other.id, 'Zulu')
  app.clock.advance(1000)
  await siteOf(app, admin.token, other.id, 'Alpha')
  expect((await enroll({ key: nowhere.key })).body).toMatchObject({ orgId: other.id, siteId: oldest.id })
})

test('only active and trial organizations of an active partner accept devices', async () => {
  const inactive = { status: 403, body: { error: 'Enrollment tenant is not active', reason: 'tenant_inactive' } }
  for (const status of ['suspended', 'churned', 'offboarding', 'merging', 'archived', 'purging'] as const) {
    setOrganization(app, org.id, { status })
    expect(await refused({}), status).toMatchObject(inactive)
  }
  setOrganization(app, org.id, { status: 'trial' })
  expect((await enroll()).status).toBe(201)
  setOrganization(app, org.id, { status: 'active' })
  for (const status of ['pending', 'suspended', 'churned', 'offboarding'] as const) {
    setPartner(app, admin.partnerId, { status })
    expect(await refused({}), `partner ${status}`).toMatchObject(inactive)
  }
  setPartner(app, admin.partnerId, { status: 'active' })
})

test('a quarantined device cannot enroll again, neither by its token nor by its name', async () => {
  const hostname = unused()
  const held = await enrolledDevice(app, key.key, hostname)
  setDevice(app, held.deviceId, { status: 'quarantined' })
  const quarantined = { status: 403, body: { reason: 'device_quarantined' } }
  expect(await refused({ hostname })).toMatchObject(quarantined)
  expect(await refused({ hostname: hostname.toUpperCase() })).toMatchObject(quarantined)
  expect(await refused({ headers: presenting(held.authToken) })).toMatchObject(quarantined)
})

test('a decommissioned device with a suspended token blocks its name and its token with a 409', async () => {
  const hostname = unused()
  const gone = await enrolledDevice(app, key.key, hostname)
  setDevice(app, gone.deviceId, { status: 'decommissioned', agent_token_suspended_at: '2026-03-01T09:00:00.000Z' })
  const blocked = { status: 409, body: { reason: 'existing_decommissioned_row_has_suspended_token' } }
  expect(await refused({ hostname })).toMatchObject(blocked)
  expect(await refused({ headers: presenting(gone.authToken) })).toMatchObject(blocked)
})

test('a suspended token is ignored, and its machine becomes a new device', async () => {
  const hostname = unused()
  const probed = await enrolledDevice(app, key.key, hostname)
  setDevice(app, probed.deviceId, { agent_token_suspended_at: '2026-03-01T09:00:00.000Z' })
  const { status, body } = await enroll({ hostname, headers: presenting(probed.authToken) })
  expect(status).toBe(201)
  expect(body.deviceId).not.toBe(probed.deviceId)
})

test('the organization has a device limit, and decommissioned devices do not count', async () => {
  await using small = await testApp()
  const made = await company(small)
  setOrganization(small, made.org.id, { max_devices: 2 })
  const second = await enrolledDevice(small, made.key.key, 'second')
  const full = enrolledDevice(small, made.key.key, 'third')
  await expect(full).rejects.toThrow(/403.*"code":"DEVICE_LIMIT_REACHED".*"currentDevices":2,"maxDevices":2/)
  const again = await small.inject({
    method: 'POST',
    url: '/api/v1/agents/enroll',
    headers: presenting(second.authToken),
    payload: enrollBody(made.key.key, 'second'),
  })
  expect(again.statusCode, 'a re-enrollment is no new device').toBe(201)
  setDevice(small, second.deviceId, { status: 'decommissioned' })
  expect((await enrolledDevice(small, made.key.key, 'third')).deviceId).not.toBe(second.deviceId)
})

test('the partner has a device limit over all its organizations, unless its plan is unlimited', async () => {
  await using small = await testApp()
  const made = await company(small)
  const other = await organizationOf(small, made.admin.token, 'Elsewhere')
  await siteOf(small, made.admin.token, other.id)
  const otherKey = await enrollmentKeyOf(small, made.admin.token, { orgId: other.id })
  setPartner(small, made.admin.partnerId, { plan: 'pro', max_devices: 1 })
  await expect(enrolledDevice(small, otherKey.key)).rejects.toThrow(/"currentDevices":1,"maxDevices":1/)
  setPartner(small, made.admin.partnerId, { plan: 'unlimited' })
  await enrolledDevice(small, otherKey.key)
  setOrganization(small, other.id, { max_devices: 1 })
  await expect(enrolledDevice(small, otherKey.key, 'more'), "the organization's own cap stands").rejects.toThrow('403')
})

test('re-enrolling with the old token keeps the device and its data under a new agent id', async () => {
  const first = await enrolledDevice(app, key.key, 'notebook')
  await app.call(
    updateDevice,
    { params: { id: first.deviceId }, body: { displayName: 'Reception', tags: ['a'], deviceRole: 'server' } },
    { token: admin.token },
  )
  for (const headers of [presenting(first.authToken), { authorization: `Bearer ${first.authToken}` }]) {
    setDevice(app, first.deviceId, {
      agent_id: first.agentId,
      agent_token_hash: sha256(first.authToken),
      status: 'offline',
    })
    const { status, body } = await enroll({ hostname: 'notebook-2', headers, body: { deviceRole: 'workstation' } })
    expect(status).toBe(201)
    expect(body.deviceId).toBe(first.deviceId)
    expect(body.agentId).not.toBe(first.agentId)
    expect(deviceRowOf(app, first.deviceId)).toMatchObject({
      hostname: 'notebook-2',
      status: 'online',
      display_name: 'Reception',
      tags: '["a"]',
      device_role: 'server',
      device_role_source: 'manual',
    })
    expect((await fakeDevice(app, first).beat()).status, 'the old address is dead').toBe(401)
    const renewed = fakeDevice(app, body)
    expect((await renewed.beat({}, { authorization: `Bearer ${first.authToken}` })).status, 'the old token too').toBe(
      401,
    )
    expect((await renewed.beat()).status).toBe(200)
  }
  expect(auditOf(app, 'agent.enroll').at(-1)).toMatchObject({
    actor_type: 'system',
    resource_id: first.deviceId,
    details: { siteId: site.id, reenrollment: true },
  })
})

test('a previous token identifies the device until it expires', async () => {
  const first = await enrolledDevice(app, key.key, unused())
  const former = `brz_${'a'.repeat(64)}`
  const until = new Date(app.clock.now() + 1000).toISOString()
  setDevice(app, first.deviceId, { previous_token_hash: sha256(former), previous_token_expires_at: until })
  app.clock.advance(1000)
  expect((await enroll({ headers: presenting(former) })).body.deviceId).not.toBe(first.deviceId)
  setDevice(app, first.deviceId, { previous_token_expires_at: new Date(app.clock.now() + 1).toISOString() })
  expect((await enroll({ headers: presenting(former) })).body.deviceId).toBe(first.deviceId)
  expect(deviceRowOf(app, first.deviceId)).toMatchObject({ previous_token_hash: null, previous_token_expires_at: null })
})

test('a host name alone never takes over a device', async () => {
  const hostname = unused()
  const first = await enrolledDevice(app, key.key, hostname)
  const foreign = `brz_${'b'.repeat(64)}`
  for (const headers of [{}, presenting(foreign)] as Record<string, string>[]) {
    const { body } = await enroll({ hostname, headers })
    expect(body.deviceId).not.toBe(first.deviceId)
    expect(deviceRowOf(app, body.deviceId)?.possible_replacement_of_device_id).toBe(first.deviceId)
  }
  expect((await fakeDevice(app, first).beat()).status).toBe(200)
})

test('the token of a device in another organization is ignored', async () => {
  const other = await organizationOf(app, admin.token, 'Foreign')
  await siteOf(app, admin.token, other.id)
  const foreignKey = await enrollmentKeyOf(app, admin.token, { orgId: other.id })
  const foreign = await enrolledDevice(app, foreignKey.key, unused())
  const { body } = await enroll({ headers: presenting(foreign.authToken) })
  expect(body).toMatchObject({ orgId: org.id })
  expect(body.deviceId).not.toBe(foreign.deviceId)
})

test('a decommissioned device is renamed when a new device takes its host name', async () => {
  const hostname = unused()
  const gone = await enrolledDevice(app, key.key, hostname)
  setDevice(app, gone.deviceId, { status: 'decommissioned' })
  const { body } = await enroll({ hostname, headers: presenting(gone.authToken) })
  expect(body.deviceId).not.toBe(gone.deviceId)
  expect(deviceRowOf(app, gone.deviceId)).toMatchObject({
    status: 'decommissioned',
    hostname: `${hostname}.decom-${gone.deviceId.slice(0, 8)}`,
  })
  expect(deviceRowOf(app, body.deviceId)).toMatchObject({ hostname, possible_replacement_of_device_id: null })
})

test('a denied enrollment is audited with its reason', async () => {
  setOrganization(app, org.id, { status: 'suspended' })
  const hostname = unused()
  await enroll({ hostname })
  setOrganization(app, org.id, { status: 'active' })
  expect(auditOf(app, 'agent.enroll').at(-1)).toMatchObject({
    result: 'denied',
    resource_name: hostname,
    org_id: org.id,
    details: { reason: 'tenant_inactive' },
  })
})

test('ten requests a minute from one address, then 429, whatever the body says', async () => {
  await using narrow = await testApp({ env: { HOMEPORT_LIMIT_ENROLLMENT_IP: '10/60' } })
  const send = (remoteAddress: string, payload: object = { nonsense: true }) =>
    narrow.inject({ method: 'POST', url: '/api/v1/agents/enroll', payload, remoteAddress })
  for (let n = 0; n < 10; n++) expect((await send('10.0.0.8')).statusCode).toBe(400)
  narrow.clock.advance(20_000)
  const eleventh = await send('10.0.0.8')
  expect(eleventh.statusCode).toBe(429)
  expect(eleventh.headers['retry-after']).toBe('40')
  expect(eleventh.json()).toMatchObject({ error: 'Enrollment rate limit exceeded', retryAfter: 40 })
  expect((await send('10.0.0.9')).statusCode).toBe(400)
  narrow.clock.advance(40_000)
  expect((await send('10.0.0.8')).statusCode).toBe(400)
})

test('when a hundred agents race for ten uses, ten enroll and ninety get 401', async () => {
  const ten = await newKey({ maxUsage: 10 })
  const origin = await listening(app)
  const devices = () => app.rowCounts().devices ?? 0
  const before = devices()
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const response = await fetch(`${origin}/api/v1/agents/enroll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(enrollBody(ten.key, `racer-${n}`)),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }),
  )
  const winners = answers.filter(({ status }) => status === 201)
  const losers = answers.filter(({ status }) => status === 401)
  expect([winners.length, losers.length, devices() - before, usesOf(ten.id)]).toEqual([10, 90, 10, 10])
  expect(new Set(winners.map(({ body }) => body.deviceId)).size).toBe(10)
  for (const { body } of losers) expect(['enrollment_key_exhausted', 'enrollment_key_race_lost']).toContain(body.reason)
})

test('an organization at its device limit refuses with 403 and does not use up its key', async () => {
  const { body } = await app.call(
    createOrganization,
    { body: { name: 'Tiny', slug: 'tiny', maxDevices: 1 } },
    { token: admin.token },
  )
  await siteOf(app, admin.token, body.id)
  const tiny = await enrollmentKeyOf(app, admin.token, { orgId: body.id, maxUsage: 5 })
  await enrolledDevice(app, tiny.key, unused())
  expect(await refused({ key: tiny.key })).toMatchObject({
    status: 403,
    body: { error: 'Device limit reached', code: 'DEVICE_LIMIT_REACHED', currentDevices: 1, maxDevices: 1 },
  })
  expect(usesOf(tiny.id)).toBe(1)
})
