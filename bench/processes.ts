import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultLimits } from '../server/limits.ts'
import { readyMessage } from '../shared/process.ts'
import { admin } from './seed.ts'

/** Servers under test, each a process of its own on the first core; the load comes from this process on the second. */

const root = join(import.meta.dirname, '..')
/** As the server names its database. */
export const databaseName = 'homeport.db'
export const jwtSecret = 'a secret only this bench knows, long enough'
/** Before this process is pinned. */
const cores = availableParallelism()
export const canPin = cores > 1 && hasTaskset()

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Moves this process, which makes the load, away from the servers' core. */
export function pinSelf(): void {
  if (canPin) execFileSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)], { stdio: 'ignore' })
}

/** Lets this process, and what it starts from then on, run on every core again. */
export function unpinSelf(): void {
  if (canPin) execFileSync('taskset', ['-a', '-p', '-c', `0-${cores - 1}`, String(process.pid)], { stdio: 'ignore' })
}

export interface Running extends AsyncDisposable {
  origin: string
}

/** Homeport itself on a data directory, with every limit off. */
export async function startHomeport(
  dataDir: string,
  more: Record<string, string> = {},
  { isPinned } = { isPinned: true },
): Promise<Running> {
  mkdirSync(dataDir, { recursive: true })
  const limits = Object.keys(defaultLimits).map((name) => [`HOMEPORT_LIMIT_${name.toUpperCase()}`, '0/60'])
  return startServer(
    [join(root, 'server/index.ts')],
    {
      ...Object.fromEntries(limits),
      HOMEPORT_DATA_DIR: dataDir,
      HOMEPORT_HOST: '127.0.0.1',
      HOMEPORT_PORT: '0',
      HOMEPORT_TLS: 'off',
      JWT_SECRET: jwtSecret,
      ...more,
    },
    isPinned,
  )
}

/** The ceilings, on the same database file. */
export const startCeilings = (databaseFile: string): Promise<Running> =>
  startServer([join(import.meta.dirname, 'ceilings.ts'), databaseFile], { JWT_SECRET: jwtSecret })

async function startServer(args: string[], env: Record<string, string>, isPinned = true): Promise<Running> {
  const [command = '', ...rest] = [...(canPin && isPinned ? ['taskset', '-c', '0'] : []), process.execPath, ...args]
  const child = spawn(command, rest, {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const origin = await readyOrigin(child)
  return { origin, [Symbol.asyncDispose]: () => stop(child) }
}

async function readyOrigin(child: ChildProcess): Promise<string> {
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a server ended with ${code}`)))
  exited.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), exited])
  return readyMessage.pick({ loopbackOrigin: true }).parse(message).loopbackOrigin.replace('localhost', '127.0.0.1')
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([exited, pause(10_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))])
}

/** Signs in as the seeded administrator; the token is good for a quarter of an hour. */
export async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  const { tokens } = (await response.json()) as { tokens?: { accessToken: string } }
  if (!tokens) throw new Error(`sign-in answered ${response.status}`)
  return tokens.accessToken
}
