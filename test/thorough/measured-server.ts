import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Database } from '../../server/db/database.ts'
import { databaseFile } from '../../server/db/location.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import type { BodyOf, Endpoint } from '../../shared/endpoint.ts'
import { isAboveCompanies } from '../contract/kit.ts'
import { twoCompanies, withoutLimits } from '../contract/stage.ts'
import { type RealProcess, startServer } from '../helpers/real-appliance.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { pathOf, testApp } from '../helpers/test-app.ts'
import { formWith, tinyPng } from '../helpers/upload.ts'
import { fillAppliance } from './large-appliance.ts'
import { Neighbor } from './neighbor.ts'
import type { Large } from './special-questions.ts'
import type { Question } from './worst-question.ts'

export interface Measured {
  status: number
  bytes: number
  /** How long the answer took. */
  ms: number
  /** How much longer than usual the neighbor waited at most, in each try. */
  waits: number[]
}

export interface MeasuredServer {
  ids: Large
  /** Asks again, up to so many times, while the neighbor waits longer than the bound. */
  measure(endpoint: Endpoint, question: Question, limits: { bound: number; tries: number }): Promise<Measured>
  close(): Promise<void>
}

/** What the answer has set going is looked at for so long, too. */
const aftermathMs = 200

/** A real server on a large database, in a process of its own, and a neighbor on a thread of its own. */
export async function startMeasuredServer(): Promise<MeasuredServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-worst-'))
  const { ids, admin, operator, deviceToken, neighbor, config } = await furnish(dataDir)
  const server = await startServer(dataDir, {
    ...withoutLimits,
    HOMEPORT_TLS: 'off',
    HOMEPORT_LOG_LEVEL: 'error',
    SSO_DNS_RESOLVERS: '127.0.0.1:1',
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'hold-meter.ts')}`,
    HOLD_FILE: holdFile(dataDir),
  })
  const origin = `http://127.0.0.1:${server.port}/api/v1`
  const db = new Database({ file: databaseFile(dataDir) })
  const device = new Neighbor(`${origin}${pathOf(heartbeat, { agentId: neighbor.agentId })}`, neighbor.authToken, beat)
  const usualMs = await device.usualWait()
  const agent = new Agent({ keepAlive: true })
  const signedIn = (endpoint: Endpoint) =>
    sessionOf({ db, clock: systemClock, config, dataDir }, isAboveCompanies(endpoint) ? operator : admin, 'passkey')
  return {
    ids,
    measure: async (endpoint, question, { bound, tries }) => {
      const measured: Measured = { status: 0, bytes: 0, ms: 0, waits: [] }
      do {
        // Whatever was asked before may have signed them out.
        const token = endpoint.access.who === 'agent' ? deviceToken : await signedIn(endpoint)
        await device.longestWait()
        await longestHold(server, dataDir)
        const began = performance.now()
        Object.assign(measured, await ask(origin, endpoint, question, token, agent))
        measured.ms = performance.now() - began
        await pause(aftermathMs)
        const waited = (await device.longestWait()) - usualMs
        measured.waits.push(Math.min(waited, await longestHold(server, dataDir)))
      } while ((measured.waits.at(-1) ?? 0) > bound && measured.waits.length < tries)
      return measured
    },
    close: async () => {
      agent.destroy()
      await device.stop()
      await server.stop()
      db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const beat: BodyOf<typeof heartbeat> = {
  status: 'ok',
  agentVersion: '0.1.0',
  metrics: { cpuPercent: 3, ramPercent: 4, ramUsedMb: 5, diskPercent: 6, diskUsedGb: 7 },
}

/** Two companies, made by their own endpoints; the first one has been in use for years. */
async function furnish(dataDir: string) {
  await using app = await testApp({ env: withoutLimits })
  app.clock.jump(Date.now() - app.clock.now())
  const { own, other, operator, ids } = await twoCompanies(app)
  const secrets = openSecrets(app.dataDir, app.config.secrets)
  const large = fillAppliance(app.db, secrets, ids, own.admin.userId)
  cpSync(app.dataDir, dataDir, { recursive: true })
  await app.db.backup(databaseFile(dataDir))
  const { authToken: deviceToken } = own.device
  return {
    ids: large,
    admin: own.admin.userId,
    operator: operator.id,
    deviceToken,
    neighbor: other.device,
    config: app.config,
  }
}

const ask = (origin: string, endpoint: Endpoint, { params, query, body }: Question, token: string, agent: Agent) =>
  new Promise<Pick<Measured, 'status' | 'bytes'>>((resolve, reject) => {
    const file = endpoint.fileLimit ? formWith(tinyPng) : undefined
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...file?.headers,
    }
    const url = `${origin}${pathOf(endpoint, params)}?${new URLSearchParams(query)}`
    const call = request(url, { method: endpoint.method, headers, agent }, (reply) => {
      let bytes = 0
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, bytes }))
    })
    call.on('error', reject).end(file?.payload ?? body)
  })

const holdFile = (dataDir: string) => join(dataDir, 'hold')

/** Milliseconds of the processor that the server took at most without looking whether somebody waits; since last asked. */
async function longestHold({ child }: RealProcess, dataDir: string): Promise<number> {
  const file = holdFile(dataDir)
  rmSync(file, { force: true })
  child.kill('SIGUSR2')
  while (!existsSync(file)) await pause(3)
  return Number(readFileSync(file, 'utf8'))
}
