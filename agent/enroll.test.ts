import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { enroll } from './enroll.ts'
import { type AgentFailure, exitCode } from './failure.ts'
import { createLog } from './log.ts'
import { loadState } from './state.ts'
import { createAuthority, type TestAuthority } from './testing/certificates.ts'
import { agentId, authToken, enrollReply } from './testing/fake-server.ts'
import { makeEnrolled, makeFolder, makeServer, spawnAgent } from './testing/scene.ts'

const key = 'ef'.repeat(32)
const log = createLog({ write: () => {} })

const failureOf = (work: Promise<unknown>): Promise<AgentFailure> =>
  work.then(
    () => {
      throw new Error('it should have failed')
    },
    (error) => error,
  )

describe('with a pinned authority', () => {
  let ours: TestAuthority
  let foreign: TestAuthority
  beforeAll(async () => {
    ours = await createAuthority('Homeport CA')
    foreign = await createAuthority('Somebody else')
  })

  test('enrolls, and stores state and authority readable by their owner only', async () => {
    const server = await makeServer({ ...(await ours.issue(['127.0.0.1'])), caPem: ours.pem })
    const stateDir = join(await makeFolder(), 'state')
    const spelled = ours.fingerprint.toUpperCase().replace(/..(?!$)/g, '$&:')
    const { already } = await enroll(key, { server: `${server.url}/`, caFingerprint: spelled, stateDir }, log)
    expect(already).toBe(false)
    expect(loadState(stateDir)).toMatchObject({
      serverUrl: server.url,
      agentId,
      authToken,
      deviceId: enrollReply.deviceId,
    })
    expect(readFileSync(join(stateDir, 'ca.pem'), 'utf8').trim()).toBe(ours.pem.trim())
    expect(statSync(stateDir).mode & 0o777).toBe(0o700)
    expect(statSync(join(stateDir, 'agent.json')).mode & 0o777).toBe(0o600)
    const [sent] = server.to('/agents/enroll')
    expect(sent?.body).toMatchObject({ enrollmentKey: key, osType: 'linux', agentVersion: expect.any(String) })
    expect(sent?.body.hardwareInfo.ramTotalMb).toBeGreaterThan(0)
  })

  test('stores the further authorities that the appliance sends with its enrollment reply', async () => {
    const server = await makeServer({ ...(await ours.issue(['127.0.0.1'])), caPem: ours.pem })
    const trust = { caPem: `${ours.pem}\n${foreign.pem}` }
    server.answer = ({ path }) =>
      path.endsWith('/enroll') ? { status: 201, body: { ...enrollReply, trust } } : undefined
    const stateDir = await makeFolder()
    await enroll(key, { server: server.url, caFingerprint: ours.fingerprint, stateDir }, log)
    expect(readFileSync(join(stateDir, 'ca.pem'), 'utf8').match(/BEGIN/g)).toHaveLength(2)
  })

  test('sends nothing to a server with another authority', async () => {
    const server = await makeServer({ ...(await foreign.issue(['127.0.0.1'])), caPem: foreign.pem })
    const stateDir = await makeFolder()
    const failure = await failureOf(enroll(key, { server: server.url, caFingerprint: ours.fingerprint, stateDir }, log))
    expect(failure).toMatchObject({ exitCode: exitCode.refused, message: expect.stringContaining('fingerprint') })
    expect(server.heard.map(({ path }) => path)).toEqual(['/api/v1/system/ca.pem'])
    expect(JSON.stringify(server.heard)).not.toContain(key)
    expect(loadState(stateDir)).toBeUndefined()
  })

  test('does not trust a server of a foreign authority that sends the pinned one along', async () => {
    const server = await makeServer({ ...(await foreign.issue(['127.0.0.1'])), caPem: `${ours.pem}\n${foreign.pem}` })
    const stateDir = await makeFolder()
    const failure = await failureOf(enroll(key, { server: server.url, caFingerprint: ours.fingerprint, stateDir }, log))
    expect(failure.exitCode).toBe(exitCode.network)
    expect(server.to('/enroll')).toEqual([])
  })

  test('refuses a server whose certificate is for another name', async () => {
    const server = await makeServer({ ...(await ours.issue(['another.local'])), caPem: ours.pem })
    const stateDir = await makeFolder()
    const failure = await failureOf(enroll(key, { server: server.url, caFingerprint: ours.fingerprint, stateDir }, log))
    expect(failure).toMatchObject({ exitCode: exitCode.network, message: expect.stringContaining('certificate') })
    expect(server.to('/enroll')).toEqual([])
  })

  test('without the fingerprint trusts only authorities of the system', async () => {
    const server = await makeServer({ ...(await ours.issue(['127.0.0.1'])), caPem: ours.pem })
    const failure = await failureOf(enroll(key, { server: server.url, stateDir: await makeFolder() }, log))
    expect(failure).toMatchObject({ exitCode: exitCode.network, message: expect.stringContaining('--ca-fingerprint') })
    expect(server.heard).toEqual([])
  })
})

test('an enrolled device makes no call, unless forced, and then sends its old token', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  expect(await enroll(key, { server: server.url, stateDir }, log)).toMatchObject({ already: true })
  expect(server.heard).toEqual([])
  expect(await enroll(key, { server: server.url, stateDir, force: true }, log)).toMatchObject({ already: false })
  expect(server.to('/enroll')[0]?.headers['x-agent-reenrollment-token']).toBe(authToken)
})

test('the old token is sent only to the appliance that issued it', async () => {
  const ours = await createAuthority('Homeport CA')
  const other = await createAuthority('Another Homeport CA')
  const secured = async (by: TestAuthority) => makeServer({ ...(await by.issue(['127.0.0.1'])), caPem: by.pem })
  const stateDir = await makeFolder()
  const enrollWith = async (by: TestAuthority) => {
    const server = await secured(by)
    await enroll(key, { server: server.url, caFingerprint: by.fingerprint, stateDir, force: true }, log)
    return server.to('/enroll')[0]?.headers['x-agent-reenrollment-token']
  }
  expect(await enrollWith(ours)).toBeUndefined()
  expect(await enrollWith(ours), 'the same one at a new address').toBe(authToken)
  expect(await enrollWith(other), 'another one').toBeUndefined()
})

test.each([
  [
    401,
    { error: 'Enrollment key not recognized', reason: 'enrollment_key_not_found' },
    exitCode.refused,
    'check the enrollment key',
  ],
  [401, { error: 'used up', reason: 'enrollment_key_exhausted' }, exitCode.refused, 'create a new enrollment key'],
  [
    403,
    { error: 'Device limit reached', code: 'DEVICE_LIMIT_REACHED', currentDevices: 12, maxDevices: 10 },
    exitCode.refused,
    'the device limit is reached (12 of 10)',
  ],
  [403, { error: 'Device limit reached', code: 'DEVICE_LIMIT_REACHED' }, exitCode.refused, 'Device limit reached'],
  [403, { error: 'Device is quarantined', reason: 'device_quarantined' }, exitCode.oldDeviceInTheWay, 'administrator'],
  [404, 'no such page', exitCode.notFound, '--server'],
  [429, { error: 'Enrollment rate limit exceeded', retryAfter: 60 }, exitCode.rateLimited, 'minute'],
  [503, '', exitCode.serverError, 'try again'],
  [400, { error: ['odd'] }, exitCode.unexpected, '400'],
  [201, '<html>', exitCode.unexpected, 'not as a Homeport'],
  [201, {}, exitCode.unexpected, 'not as a Homeport'],
  [201, { ...enrollReply, agentId: '../../x' }, exitCode.unexpected, 'cannot be used'],
])('an answer of %i %j fails the enrollment with its own exit code and advice', async (status, body, code, advice) => {
  const server = await makeServer()
  server.answer = () => ({ status, body })
  const stateDir = await makeFolder()
  const failure = await failureOf(enroll(key, { server: server.url, stateDir }, log))
  expect(failure).toMatchObject({ exitCode: code, message: expect.stringContaining(advice) })
  expect(loadState(stateDir)).toBeUndefined()
})

test.each(['not an address', 'ftp://somewhere'])('%s is refused as a server address', async (server) => {
  const failure = await failureOf(enroll(key, { server, stateDir: await makeFolder() }, log))
  expect(failure.exitCode).toBe(exitCode.badConfig)
})

test('the command line prints the outcome and exits with its code', async () => {
  const server = await makeServer()
  const stateDir = await makeFolder()
  const args = ['enroll', key, '--server', server.url, '--state-dir', stateDir]
  const first = spawnAgent(args)
  expect(await first.exit).toBe(0)
  expect(first.output.stdout).toContain(enrollReply.deviceId)
  const second = spawnAgent(args)
  expect(await second.exit).toBe(0)
  expect(second.output.stdout).toContain('already enrolled')
  await server.stop()
  const third = spawnAgent([...args, '--force'])
  expect(await third.exit).toBe(exitCode.network)
  expect(third.output.stderr.trim().split('\n')).toHaveLength(1)
  expect(third.output.stderr).not.toContain(key)
  await server.start()
})
