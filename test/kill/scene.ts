import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { onTestFinished } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { createEnrollmentKey, rotateEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import { bootstrap } from '../../shared/api/system.ts'
import type { Endpoint, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { password } from '../helpers/factories.ts'
import { freePort, type RealProcess, startServer } from '../helpers/real-appliance.ts'
import { pathOf } from '../helpers/test-app.ts'

export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-kill-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/** The appliance as its own process on a data directory of its own, to be killed and started again. */
export async function killableAppliance(more: Record<string, string> = {}) {
  const dataDir = temporaryDirectory()
  const port = await freePort()
  const unlimited = ['GLOBAL', 'ENROLLMENT_IP', 'ENROLLMENT_KEY_CREATE', 'AGENT', 'AGENT_ADDRESS', 'AGENT_SOCKET']
  const env = {
    HOMEPORT_TLS: 'off',
    HOMEPORT_PORT: String(port),
    HOMEPORT_HEARTBEAT_SECONDS: '5',
    ...Object.fromEntries(unlimited.map((name) => [`HOMEPORT_LIMIT_${name}`, '0/60'])),
    ...more,
  }
  let server: RealProcess = await startServer(dataDir, env)
  onTestFinished(() => server.stop('SIGKILL'))
  return {
    dataDir,
    origin: `http://127.0.0.1:${port}`,
    kill: () => server.stop('SIGKILL'),
    start: async () => {
      server = await startServer(dataDir, env)
    },
    /** The database of a dead appliance, or to look into that of a living one. */
    openDatabase: () => new Database({ file: join(dataDir, 'homeport.db') }),
  }
}

export type KillableAppliance = Awaited<ReturnType<typeof killableAppliance>>

/** Calls over the wire; resolves only with a success, so that whatever it resolves with was acknowledged. */
export async function call<E extends Endpoint>(
  origin: string,
  endpoint: E,
  { params, body }: InputOf<E> & { params?: unknown; body?: unknown },
  token?: string,
): Promise<ReplyOf<E>> {
  const response = await fetch(`${origin}/api/v1${pathOf(endpoint, params as Record<string, string>)}`, {
    method: endpoint.method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Refusal(`${endpoint.name}: ${response.status} ${text}`)
  return JSON.parse(text) as ReplyOf<E>
}

/** An answer that is no success; anything else that goes wrong means that the server is gone. */
export class Refusal extends Error {}

/** Enrolls an authenticator app, which counts as a factor shown in this session. */
export async function showFactor({ origin }: KillableAppliance, token: string): Promise<void> {
  const { secret } = await call(origin, mfaSetup, {}, token)
  await call(origin, mfaEnable, { body: { code: generateSync({ secret }) } }, token)
}

/** An administrator with an organization, a site and a key for any number of devices. */
export async function setUp({ origin, dataDir }: KillableAppliance) {
  const setupCode = readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()
  const { tokens } = await call(origin, bootstrap, {
    body: { setupCode, companyName: 'Acme', name: 'Ada', email: 'ada@acme.test', password },
  })
  const token = tokens.accessToken
  const org = await call(origin, createOrganization, { body: { name: 'Berlin', slug: 'berlin' } }, token)
  const site = await call(origin, createSite, { body: { orgId: org.id, name: 'HQ' } }, token)
  const made = await call(origin, createEnrollmentKey, { body: { name: 'All', orgId: org.id, siteId: site.id } }, token)
  const key = await call(origin, rotateEnrollmentKey, { params: { id: made.id }, body: { maxUsage: null } }, token)
  return { token, org, site, key }
}
