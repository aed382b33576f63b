import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { type App, type AppOptions, buildApp } from '../../server/app.ts'
import { type Config, loadConfig } from '../../server/config/config.ts'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { seedRoles } from '../../server/features/access/roles/built-in.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { createLog, silentLog } from '../../server/platform/log.ts'
import { isLocalName, type Resolve, systemResolve } from '../../server/platform/outbound/index.ts'
import { openSecrets, type Secrets } from '../../server/platform/secrets.ts'
import type { Endpoint, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import type { ErrorBody } from '../../shared/errors/index.ts'
import { FakeClock } from './fake-clock.ts'

/** Sign-ins take as long as on an appliance; the apps of other tests answer at once. */
export const usualSignInFloor = { HOMEPORT_SIGN_IN_FLOOR_MS: '' }

/** Makes databases that are prepared once and copied from then on. */
function copiesOf(prepare: (db: Database) => void): () => Database {
  let template: Buffer | null = null
  return () => {
    if (!template) {
      const db = new Database({ file: ':memory:' })
      prepare(db)
      template = db.serialize()
      db.close()
    }
    return new Database({ image: template })
  }
}

/** A private database with empty tables. */
export const freshDatabase = copiesOf((db) => db.migrate())

/** As it is after the first start. */
const startedDatabase = copiesOf((db) => {
  db.migrate()
  seedRoles(db, isoNow(new FakeClock()))
})

function upgradedDatabase(
  { migration, fill }: { migration: string; fill: (db: Database, secrets: Secrets) => void },
  secrets: Secrets,
): Database {
  const db = new Database({ file: ':memory:' })
  db.migrate(migrations.filter(({ name }) => name < migration))
  fill(db, secrets)
  db.migrate()
  seedRoles(db, isoNow(new FakeClock()))
  return db
}

export interface CallOptions {
  token?: string | undefined
  headers?: Record<string, string>
  remoteAddress?: string
}

export interface Answer<T> {
  status: number
  body: T
  headers: LightMyRequestResponse['headers']
  cookies: LightMyRequestResponse['cookies']
}

export interface TestApp extends AsyncDisposable {
  app: App
  db: Database
  clock: FakeClock
  config: Config
  dataDir: string
  /** Lines the server logged, when `logs` was asked for. */
  logLines: string[]
  /** Calls an endpoint by its contract; `body` is what came back, a refusal included. */
  call<E extends Endpoint>(
    endpoint: E,
    input?: InputOf<E>,
    options?: CallOptions,
  ): Promise<Answer<ReplyOf<E> & Partial<ErrorBody>>>
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  /** How many rows each table holds: what a refused call must not change. */
  rowCounts(): Record<string, number>
}

/** The real app on a private database, with a clock that stands still. Limits are wide unless `env` narrows them. */
export async function testApp(
  options: {
    env?: Record<string, string>
    logs?: boolean
    tls?: AppOptions['tls']
    releaseKey?: string
    resolve?: Resolve
    /** An appliance from before a migration, which had these rows, and is upgraded at its start. */
    before?: { migration: string; fill: (db: Database, secrets: Secrets) => void }
  } = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  const wide = {
    HOMEPORT_LIMIT_GLOBAL: '0/60',
    HOMEPORT_LIMIT_LOGIN_IP: '0/60',
    HOMEPORT_LIMIT_ENROLLMENT_IP: '0/60',
    HOMEPORT_SIGN_IN_FLOOR_MS: '0',
  }
  // No server answers there: domain verification must not depend on the network of the machine.
  const nobodysDns = { SSO_DNS_RESOLVERS: '127.0.0.1:1' }
  const engine = process.env.RESTIC_PATH === undefined ? {} : { RESTIC_PATH: process.env.RESTIC_PATH }
  const config = loadConfig({
    ...wide,
    ...nobodysDns,
    ...engine,
    HOMEPORT_DATA_DIR: dataDir,
    HOMEPORT_TLS: 'off',
    ...options.env,
  })
  const secrets = openSecrets(dataDir, config.secrets)
  const db = options.before ? upgradedDatabase(options.before, secrets) : startedDatabase()
  const clock = new FakeClock()
  const logLines: string[] = []
  const log = options.logs ? createLog('trace', { write: (line) => void logLines.push(line) }) : silentLog()
  const app = await buildApp({
    config,
    db,
    clock,
    log,
    secrets,
    tls: options.tls ?? null,
    version: '0.0.0-test',
    distDir: join(dataDir, 'dist'),
    outbound: { resolve: options.resolve ?? localNames, settle: async () => {} },
    ...(options.releaseKey && { releaseKey: options.releaseKey }),
  })
  await app.fastify.ready()
  app.tasks.start()
  return {
    app,
    db,
    clock,
    config,
    dataDir,
    logLines,
    inject: (request) => app.fastify.inject(request),
    call: (endpoint, input, callOptions) => callThrough(app, endpoint, input, callOptions),
    rowCounts: () => rowCounts(db),
    [Symbol.asyncDispose]: async () => {
      await app.stop()
      db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** No test waits for the DNS of the machine it runs on, or learns from it. */
const localNames: Resolve = async (host) => {
  if (!isLocalName(host)) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
  return systemResolve(host)
}

async function callThrough<E extends Endpoint>(
  app: App,
  endpoint: E,
  input: { params?: unknown; query?: unknown; body?: unknown } = {},
  { token, headers, remoteAddress }: CallOptions = {},
): Promise<Answer<ReplyOf<E> & Partial<ErrorBody>>> {
  const response = await app.fastify.inject({
    method: endpoint.method,
    url: `/api/v1${pathOf(endpoint, input.params as Record<string, string> | undefined)}`,
    query: Object.fromEntries(
      Object.entries((input.query ?? {}) as Record<string, unknown>)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, String(value)]),
    ),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(input.body !== undefined && { payload: JSON.stringify(input.body) }),
    ...(remoteAddress && { remoteAddress }),
  })
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    body: (isJson ? response.json() : response.body) as ReplyOf<E> & Partial<ErrorBody>,
    headers: response.headers,
    cookies: response.cookies,
  }
}

export const pathOf = (endpoint: Endpoint, params: Record<string, string> = {}): string =>
  endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'))

function rowCounts(db: Database): Record<string, number> {
  const names = db
    .statement(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all() as string[]
  return Object.fromEntries(
    names.map((name) => [name, db.statement(`SELECT count(*) FROM "${name}"`).pluck().get() as number]),
  )
}
