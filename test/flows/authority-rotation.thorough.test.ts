import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Appliance, startAppliance } from '../../server/appliance.ts'
import { loadConfig } from '../../server/config/config.ts'
import { q } from '../../server/db/query.ts'
import { silentLog } from '../../server/platform/log.ts'
import { freePort, type RealProcess, startAgentProcess } from '../helpers/real-appliance.ts'

/** A device that pinned the authority of the appliance keeps working through its rotation without manual steps. */

const workDir = mkdtempSync(join(tmpdir(), 'homeport-rotation-'))
const dataDir = join(workDir, 'data')
const agentEnv = { HOMEPORT_AGENT_STATE_DIR: join(workDir, 'agent') }
let appliance: Appliance
let agent: RealProcess | undefined

async function call<T>(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<T> {
  const response = await appliance.app.fastify.inject({
    method,
    url: `/api/v1${path}`,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(body && { payload: body }),
  })
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.body}`)
  return response.json()
}

beforeAll(async () => {
  const port = String(await freePort())
  appliance = await startAppliance({
    config: loadConfig({
      HOMEPORT_DATA_DIR: dataDir,
      HOMEPORT_HOST: '127.0.0.1',
      HOMEPORT_PORT: port,
      HOMEPORT_HEARTBEAT_SECONDS: '5',
    }),
    log: silentLog(),
    version: '0.0.0-test',
    distDir: workDir,
  })
  appliance.app.bootstrap.setupCode()
})

afterAll(async () => {
  await agent?.stop()
  await appliance?.stop()
  rmSync(workDir, { recursive: true, force: true })
})

const issuerOfServer = () =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port: appliance.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN))
      socket.destroy()
    }).once('error', reject)
  })
const lastSeen = () => appliance.app.db.first(q.selectFrom('devices').select(['status', 'last_seen_at']))

test('a device learns the next authority from its heartbeats and stays online when it takes over', async () => {
  const setupCode = readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()
  const admin = { companyName: 'Acme', name: 'Ada', email: 'ada@acme.test', password: 'Correct1Horse' }
  const { tokens } = await call<{ tokens: { accessToken: string } }>('POST', '/system/bootstrap', {
    setupCode,
    ...admin,
  })
  const token = tokens.accessToken
  const org = await call<{ id: string }>('POST', '/orgs/organizations', { name: 'One', slug: 'one' }, token)
  await call('POST', '/orgs/sites', { orgId: org.id, name: 'HQ' }, token)
  const { key } = await call<{ key: string }>('POST', '/enrollment-keys', { name: 'k', orgId: org.id }, token)
  const pin = appliance.tls?.caFingerprint() ?? ''
  const address = ['--server', `https://127.0.0.1:${appliance.port}`, '--ca-fingerprint', pin]
  await startAgentProcess(['enroll', key, ...address], agentEnv).saying('Enrolled')
  agent = startAgentProcess(['run'], agentEnv)
  await agent.saying('socket: connected')
  const before = await issuerOfServer()

  await call('POST', '/system/tls/rotate-ca', undefined, token)
  const event = q.selectFrom('audit_logs').select(['actor_email', 'result']).where('action', '=', 'system.ca.rotate')
  expect(appliance.app.db.all(event)).toEqual([{ actor_email: admin.email, result: 'success' }])
  const confirmed = async () =>
    (await call<{ caRotation: { confirmedDevices: number } }>('GET', '/system/connection', undefined, token)).caRotation
      .confirmedDevices
  await expect.poll(confirmed).toBe(1)
  expect(await issuerOfServer(), 'not before its time').toBe(before)

  await appliance.tls?.switchCa()
  expect(await issuerOfServer()).not.toBe(before)
  await agent.stop()
  agent = startAgentProcess(['run'], agentEnv)
  await agent.saying('socket: connected')
  const since = new Date().toISOString()
  await expect.poll(() => (lastSeen()?.last_seen_at ?? '') > since).toBe(true)
  expect(lastSeen()?.status).toBe('online')
})
