import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { isFull, isReadOnly, type ResticEnd } from './restic-refusals.ts'

/** Where restic finds a repository, and what opens it. */
export interface ResticRepository {
  /** May carry credentials. */
  url: string
  password: string
  env: Record<string, string>
  /** For `-o`, without secrets. */
  options: readonly string[]
  /** Content of files, by the name that stands in braces in `env` and `options` for their path. */
  files?: Record<string, string> | undefined
}

/**
 * Stands in `options` for a file that a program writes to which restic starts. What stands there in the end comes before
 * what restic says itself, which passes on only a part of it.
 */
export const helperLog = '{helperLog}'

/** The program, and the folders it works in. */
export interface ResticRunner {
  file: string
  /** Private; for secrets while restic runs. */
  folder: string
  /** Null: nothing is kept between runs. */
  cacheFolder: string | null
}

export interface ResticListeners {
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
 * Runs restic once. No secret stands on its command line or in the environment of its parent: they lie in private files
 * that are gone afterwards. Its output is read to the end, whatever it says: restic ends with a lock left behind when
 * nobody listens.
 * @throws Error when it cannot be started
 */
export async function runRestic(
  { file, folder, cacheFolder }: ResticRunner,
  repository: ResticRepository,
  args: readonly string[],
  signal: AbortSignal,
  listeners: ResticListeners = {},
): Promise<ResticEnd> {
  signal.throwIfAborted()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'run-'))
  try {
    const { env, options } = await prepare(repository, own)
    signal.throwIfAborted()
    const cache = cacheFolder === null ? ['--no-cache'] : ['--cache-dir', cacheFolder]
    const child = spawn(file, [...cache, ...options, '--json', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    // People and other programs work on this computer.
    if (child.pid !== undefined) lowerPriority(child.pid)
    const stop = () => interrupt(child)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const end = await endOf(child, listeners)
      return { ...end, stderr: (await saidByHelper(own)) + end.stderr }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 3 })
  }
}

const saidByHelper = (folder: string): Promise<string> =>
  readFile(join(folder, 'helper.log'), 'utf8').then(
    (text) => text.slice(-keptStderr),
    () => '',
  )

/** The environment is made from scratch: that of the parent is none of the business of a storage. */
async function prepare({ url, password, env, options, files = {} }: ResticRepository, folder: string) {
  const secret = async (name: string, content: string) => {
    const path = join(folder, name)
    await writeFile(path, content, { mode: 0o600, flag: 'wx' })
    return path
  }
  const paths = new Map([['helperLog', join(folder, 'helper.log')]])
  for (const [name, content] of Object.entries(files)) paths.set(name, await secret(name, content))
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (mark, name: string) => paths.get(name) ?? mark)
  const certificate = paths.get('caCertificate')
  return {
    env: {
      ...inherited(),
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
      RESTIC_PASSWORD_FILE: await secret('password', password),
      // The address may carry credentials.
      RESTIC_REPOSITORY_FILE: await secret('repository', url),
      RESTIC_PROGRESS_FPS: '0.5',
    },
    options: [
      ...(certificate ? ['--cacert', certificate] : []),
      ...options.flatMap((option) => ['-o', asField(filled(option))]),
    ],
  }
}

/** restic reads an option as a line of comma-separated values. */
const asField = (option: string): string => `"${option.replaceAll('"', '""')}"`

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

/** From 0.17 on restic asks a storage for a quarter of an hour that takes nothing. */
const retried = /^(.*) returned error, retrying after \S+ (.*)$/i
/** Of the same thing; half a minute. Room can come back meanwhile. */
const triesForRoom = 8

/** Whether it goes on asking a disk that can only be read, or one that stays full. */
function asksInVain(): (text: string) => boolean {
  const tries = new Map<string, number>()
  return (text) => {
    const [, what = '', why = ''] = retried.exec(text) ?? []
    if (isReadOnly(why)) return true
    if (!isFull(why)) return false
    const count = (tries.get(what) ?? 0) + 1
    tries.set(what, count)
    return count >= triesForRoom
  }
}

function endOf(child: ChildProcess, { onJson, takeOutput, onText, onComplaint }: ResticListeners): Promise<ResticEnd> {
  let stderr = ''
  let isHopeless = false
  const isInVain = asksInVain()
  const keep = (text: string) => {
    // What it says on being stopped explains nothing.
    if (isHopeless) return
    isHopeless = isInVain(text)
    if (isHopeless) interrupt(child)
    stderr = `${stderr}${text}\n`.slice(-keptStderr)
    onComplaint?.(text)
  }
  const lines = (name: 'stdout' | 'stderr', take: (line: string) => void) => {
    const stream = child[name]
    if (!stream) return
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const value = /^\s*[{[]/.test(line) ? parseJson(line) : undefined
      const last = lastWordsIn(value)
      if (last !== undefined) last.split('\n').forEach(keep)
      else if (value === undefined) take(line)
      else onJson?.(value)
    })
  }
  if (takeOutput && child.stdout) takeOutput(child.stdout)
  else lines('stdout', (line) => onText?.(line))
  lines('stderr', keep)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}

/** From 0.17 on the reason of a failure is JSON, too. */
function lastWordsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('message_type' in value) || !('message' in value))
    return undefined
  return value.message_type === 'exit_error' && typeof value.message === 'string' ? value.message : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
