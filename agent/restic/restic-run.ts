import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { makePrivateFolder } from '../files.ts'
import { parseJson } from '../server-client.ts'

/** What the agent brings to every run of restic. */
export interface ResticSettings {
  /** The program. */
  file: string
  /** Private; for secrets while restic runs. */
  folder: string
  cacheFolder: string
  serverUrl: string
  /** The authorities that vouch for the appliance, PEM; undefined where those of the system do. */
  authorities: string | undefined
}

export interface ResticEnd {
  /** Null when it was ended by a signal. */
  code: number | null
  signal: NodeJS.Signals | null
  /** The last of what it said. */
  stderr: string
}

interface Listeners {
  /** Of each line that is JSON, from either stream. */
  onJson?: (value: unknown) => void
  /** Takes the output as it is, in place of the others; it has to be read to its end. */
  takeOutput?: (stdout: Readable) => void
  /** Of each other line of its output. */
  onText?: (line: string) => void
  /** Of each other line of what it complains about. */
  onComplaint?: (line: string) => void
}

const keptStderr = 64 * 1024
const patienceMs = 30_000

/**
 * Runs restic once. No secret stands on its command line or in the environment of the agent: they lie in private files
 * that are gone afterwards. Its output is read to the end, whatever it says: restic ends with a lock left behind when
 * nobody listens.
 * @throws Error when it cannot be started
 */
export async function runRestic(
  settings: ResticSettings,
  engine: ResticEngine,
  args: readonly string[],
  signal: AbortSignal,
  listeners: Listeners = {},
): Promise<ResticEnd> {
  signal.throwIfAborted()
  makePrivateFolder(settings.folder)
  const folder = mkdtempSync(join(settings.folder, 'run-'))
  try {
    const { env, options } = prepare(settings, engine, folder)
    const child = spawn(settings.file, ['--cache-dir', settings.cacheFolder, ...options, '--json', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    // People work on this computer.
    if (child.pid !== undefined) lowerPriority(child.pid)
    const stop = () => interrupt(child)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await endOf(child, listeners)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The environment is made from scratch: that of the agent is none of the business of a storage. */
function prepare({ serverUrl, authorities }: ResticSettings, engine: ResticEngine, folder: string) {
  const secret = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
    return path
  }
  const { place } = engine
  const files = place.at === 'elsewhere' ? (place.files ?? {}) : authorities ? { caCertificate: authorities } : {}
  const paths = new Map(Object.entries(files).map(([name, content]) => [name, secret(name, content)]))
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (mark, name: string) => paths.get(name) ?? mark)
  const { env, options } = place.at === 'elsewhere' ? place : { env: {}, options: [] }
  const certificate = paths.get('caCertificate')
  return {
    env: {
      ...inherited(),
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
      RESTIC_PASSWORD_FILE: secret('password', engine.password),
      // The address may carry credentials.
      RESTIC_REPOSITORY_FILE: secret('repository', urlOf(engine, serverUrl)),
      RESTIC_PROGRESS_FPS: '0.5',
    },
    options: [
      ...(certificate ? ['--cacert', certificate] : []),
      ...options.flatMap((option) => ['-o', filled(option)]),
      ...(engine.limitUploadKiB ? ['--limit-upload', String(engine.limitUploadKiB)] : []),
    ],
  }
}

function urlOf({ place }: ResticEngine, serverUrl: string): string {
  if (place.at === 'elsewhere') return place.url
  const url = new URL(place.path, serverUrl)
  url.username = place.username
  url.password = place.password
  return `rest:${url.href}`
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE', 'ProgramData'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It ran out before, or may not be changed: it runs as it is.
  }
}

/** restic removes its lock on an interrupt, and on nothing else. */
function interrupt(child: ChildProcess): void {
  child.kill('SIGINT')
  const giveUp = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  child.once('close', () => clearTimeout(giveUp))
}

function endOf(child: ChildProcess, { onJson, takeOutput, onText, onComplaint }: Listeners): Promise<ResticEnd> {
  let stderr = ''
  const lines = (name: 'stdout' | 'stderr', onText: (line: string) => void) => {
    const stream = child[name]
    if (!stream) return
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const value = /^\s*[{[]/.test(line) ? parseJson(line) : undefined
      if (value === undefined) onText(line)
      else onJson?.(value)
    })
  }
  if (takeOutput && child.stdout) takeOutput(child.stdout)
  else lines('stdout', (line) => onText?.(line))
  lines('stderr', (line) => {
    onComplaint?.(line)
    stderr = `${stderr}${line}\n`.slice(-keptStderr)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}
