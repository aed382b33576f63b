import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isMainThread, parentPort } from 'node:worker_threads'
import { syncToDisk } from '../../../shared/node/files.ts'
import { bePolite } from '../../lib/polite-thread.ts'
import { fileOf, foldersOf, type ObjectKind } from './object-path.ts'

/**
 * Writes objects and lists folders of the backup store, with calls that block: in a thread of its own they hold up
 * nobody, and take no turn from the file accesses and password hashes of the server.
 */

export type StoreRequest = { id: number } & (
  | { do: 'begin'; draft: string }
  /** `piece` is shared, and holds something else once this is answered. */
  | { do: 'write'; piece: Uint8Array; length: number }
  /** `name`: the SHA-256 that the content must have; null for the configuration, which is named otherwise. */
  | { do: 'finish'; file: string; name: string | null }
  | { do: 'abort' }
  | { do: 'list'; folder: string; kind: ObjectKind }
  | { do: 'create'; repository: string }
  | { do: 'measure'; repository: string }
)

export type StoreAnswer = { id: number } & (
  | { done: true; value?: unknown }
  /** The code of the file system, `wrong_hash` or `exists`. */
  | { done: false; code: string; message: string }
)

interface Draft {
  path: string
  handle: number
  hash: Hash
}

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const drafts = new Map<number, Draft>()

function draftOf(id: number): Draft {
  const draft = drafts.get(id)
  if (!draft) throw new Error(`There is no draft ${id}`)
  return draft
}

function begin(id: number, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  drafts.set(id, { path, handle: openSync(path, 'wx', 0o600), hash: createHash('sha256') })
}

function write(id: number, chunk: Uint8Array): void {
  const { handle, hash } = draftOf(id)
  for (let written = 0; written < chunk.length; ) written += writeSync(handle, chunk, written)
  hash.update(chunk)
}

/** The object gets its name when all of it is on the disk, and never replaces another. Returns whether it is new. */
function finish(id: number, file: string, name: string | null): boolean {
  const { path, handle, hash } = draftOf(id)
  try {
    if (name !== null && hash.digest('hex') !== name) throw new Refused('wrong_hash')
    fsyncSync(handle)
    mkdirSync(dirname(file), { recursive: true })
    const isNew = placed(path, file)
    // The same content again is a repetition of a call whose answer was lost.
    if (!isNew && name === null) throw new Refused('exists')
    if (isNew) syncToDisk(dirname(file))
    return isNew
  } finally {
    abort(id)
  }
}

/** A second name for a file is made only where there is none yet; file systems without second names need a look before. */
function placed(draft: string, file: string): boolean {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error
    if (statSync(file, { throwIfNoEntry: false })) return false
    renameSync(draft, file)
    return true
  }
}

function abort(id: number): void {
  const draft = drafts.get(id)
  if (!draft) return
  drafts.delete(id)
  closeSync(draft.handle)
  rmSync(draft.path, { force: true })
}

/** Name and size of each object, as JSON: for a repository of a terabyte some 60,000. */
function list(folder: string, kind: ObjectKind): Uint8Array {
  const folders = kind === 'data' ? readNames(folder).map((name) => join(folder, name)) : [folder]
  const objects = folders.flatMap((one) =>
    readNames(one).flatMap((name) => {
      const found = statSync(join(one, name), { throwIfNoEntry: false })
      return found?.isFile() ? [{ name, size: found.size }] : []
    }),
  )
  return new TextEncoder().encode(JSON.stringify(objects))
}

const readNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return []
    throw error
  }
}

function create(repository: string): void {
  // A restic that was killed while it made the repository leaves a key that opens nothing; the next one would try it.
  if (!statSync(fileOf(repository, { kind: 'config' }), { throwIfNoEntry: false }))
    rmSync(join(repository, 'keys'), { recursive: true, force: true })
  for (const folder of foldersOf(repository)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  syncToDisk(repository)
}

/** Bytes of all objects. */
function measure(repository: string): number {
  const folders = foldersOf(repository)
  const files = [repository, ...folders].flatMap((folder) => readNames(folder).map((name) => join(folder, name)))
  return files.reduce((sum, file) => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.isFile() ? sum + found.size : sum
  }, 0)
}

function answerTo(request: StoreRequest): unknown {
  switch (request.do) {
    case 'begin':
      return begin(request.id, request.draft)
    case 'write':
      return write(request.id, request.piece.subarray(0, request.length))
    case 'finish':
      return finish(request.id, request.file, request.name)
    case 'abort':
      return abort(request.id)
    case 'list':
      return list(request.folder, request.kind)
    case 'create':
      return create(request.repository)
    case 'measure':
      return measure(request.repository)
  }
}

if (isMainThread || !parentPort) throw new Error('This module runs in a worker thread only')
const port = parentPort
bePolite()
port.on('message', (request: StoreRequest) => {
  const answer = (value: StoreAnswer) => port.postMessage(value)
  try {
    answer({ id: request.id, done: true, value: answerTo(request) })
  } catch (error) {
    if (drafts.has(request.id)) abort(request.id)
    const { code = 'unknown', message } = error as NodeJS.ErrnoException
    answer({ id: request.id, done: false, code, message })
  }
})
