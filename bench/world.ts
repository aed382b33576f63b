import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { SignJWT } from 'jose'
import type { Target } from './load.ts'
import { databaseName, jwtSecret, type Running, signIn, startCeilings, startHomeport } from './processes.ts'
import { addHistory, grow, newDatabase } from './seed.ts'

/** The appliance most questions are put to: 1,000 organizations, 10,000 devices, and the ceilings beside it. */
export interface World extends AsyncDisposable {
  origin: string
  databaseFile: string
  /** Of a signed-in administrator. */
  headers: { authorization: string }
  /** The first two thousand devices, in the order of their credentials. */
  deviceIds: string[]
  /** Devices with a day of metrics. */
  pageIds: string[]
  constant: Target
  /** Longest delay of the idle ceilings' event loop since it was last asked, ms. */
  idleDelayUrl: string
  rawOrganizations: Target
  rawDevices: Target
  tokenOnly: Target
  /** Where a POST with a password is answered by its hash alone. */
  passwordOnlyUrl: string
}

/** `prepare` changes the database before the servers open it; `env` is for Homeport itself. */
export async function createWorld(
  folder: string,
  prepare?: (databaseFile: string) => void,
  env?: Record<string, string>,
  options: { isPinned: boolean } = { isPinned: true },
): Promise<World> {
  const file = join(folder, databaseName)
  const db = await newDatabase(file)
  grow(db, { organizations: 1000, devices: 10_000 })
  const deviceIds = db.statement('SELECT id FROM devices ORDER BY seq LIMIT 2000').pluck().all() as string[]
  const pageIds = deviceIds.filter((_, at) => at % 40 === 0)
  addHistory(db, pageIds)
  db.close()
  prepare?.(file)
  const stack = new AsyncDisposableStack()
  const homeport = stack.use(await startHomeport(folder, env, options))
  const ceilings = stack.use(await startCeilings(file))
  const raw = await rawTarget(ceilings)
  return {
    origin: homeport.origin,
    databaseFile: file,
    headers: { authorization: `Bearer ${await signIn(homeport.origin)}` },
    deviceIds,
    pageIds,
    constant: raw('/constant'),
    idleDelayUrl: `${ceilings.origin}/delay`,
    rawOrganizations: raw('/organizations'),
    rawDevices: raw('/devices'),
    tokenOnly: raw('/token-only'),
    passwordOnlyUrl: ceilings.origin,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** For what asks for one; how the session came by it is not what is measured. */
export function passSecondFactor({ databaseFile }: World): void {
  const db = new SQLite(databaseFile)
  db.prepare(`UPDATE sessions SET mfa_at = ?, mfa_source = 'totp'`).run(new Date().toISOString())
  db.close()
}

async function rawTarget({ origin }: Running) {
  const token = await new SignJWT({ sub: 'ada' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(jwtSecret))
  return (path: string): Target => ({
    url: origin,
    requests: [{ path, headers: { authorization: `Bearer ${token}` } }],
  })
}
