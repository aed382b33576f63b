import type { Bounds } from './bounds.ts'
import { longestPath } from './bounds.ts'
import { IndexError } from './index-error.ts'
import { areOfWindows, isName } from './paths.ts'

/** As numbers in the index file. */
export const types = { folder: 0, file: 1, symlink: 2, other: 3 } as const
export type TypeNumber = (typeof types)[keyof typeof types]

export interface ListedNode {
  name: string
  path: string
  type: TypeNumber
  size: number | null
  /** Milliseconds since 1970. */
  mtime: number | null
}

export interface Listed {
  /** The first line. */
  snapshot: (header: { id: string; isWindows: boolean }) => void
  node: (node: ListedNode) => void
}

const newline = 10

const refuse = (why: string): never => {
  throw new IndexError('bad_listing', why)
}

/** Reads what `restic ls --json` prints, which a device sends and may therefore be anything. */
export class ListingReader {
  readonly #bounds: Bounds
  readonly #listed: Listed
  /** The beginning of a line whose end has not come yet. */
  #open: Buffer[] = []
  #openBytes = 0
  #bytes = 0
  #hasBegun = false

  constructor(bounds: Bounds, listed: Listed) {
    this.#bounds = bounds
    this.#listed = listed
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#bounds.unpackedBytes) throw new IndexError('too_large', 'The listing is too long')
    let from = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (this.#openBytes === 0) this.#bytesOfLine(chunk, from, end)
      else {
        this.#keep(chunk.subarray(from, end))
        this.#endOpenLine()
      }
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  end(): void {
    this.#endOpenLine()
    if (!this.#hasBegun) refuse('The listing is empty')
  }

  #keep(part: Buffer): void {
    this.#openBytes += part.length
    if (this.#openBytes > this.#bounds.lineBytes) refuse('A line is too long')
    this.#open.push(part)
  }

  #endOpenLine(): void {
    const line = Buffer.concat(this.#open)
    this.#open = []
    this.#openBytes = 0
    this.#bytesOfLine(line, 0, line.length)
  }

  #bytesOfLine(bytes: Buffer, from: number, to: number): void {
    if (to - from > this.#bounds.lineBytes) refuse('A line is too long')
    if (to > from) this.#line(parsed(bytes.toString('utf8', from, to)))
  }

  #line(line: Line): void {
    const kind = line.struct_type ?? line.message_type
    if (!this.#hasBegun) {
      this.#listed.snapshot(kind === 'snapshot' ? headerOf(line) : refuse('The first line is no snapshot'))
      this.#hasBegun = true
    } else if (kind === 'node') this.#listed.node(nodeOf(line))
    else refuse('A line is no file or folder')
  }
}

/** What a line may have; nothing is known of it yet. */
type Line = Partial<
  Record<'struct_type' | 'message_type' | 'id' | 'paths' | 'name' | 'path' | 'type' | 'size' | 'mtime', unknown>
>

function parsed(text: string): Line {
  let line: Line | null
  try {
    line = JSON.parse(text)
  } catch {
    return refuse('A line is no JSON')
  }
  return typeof line === 'object' && line !== null ? line : refuse('A line is no object')
}

function headerOf({ id, paths }: Line): { id: string; isWindows: boolean } {
  const known: unknown[] = Array.isArray(paths) ? paths : []
  return typeof id === 'string' ? { id, isWindows: areOfWindows(known) } : refuse('The snapshot has no id')
}

function nodeOf({ name, path, type, size, mtime }: Line): ListedNode {
  if (typeof name !== 'string' || typeof path !== 'string' || typeof type !== 'string')
    return refuse('A file or folder has no name, path or type')
  if (!isName(name)) return refuse('A name is none')
  if (path.length > longestPath || !path.startsWith('/') || !path.endsWith(`/${name}`) || path.includes('\0'))
    return refuse('A path is none')
  return {
    // Half of a letter cannot be written to the index file.
    name: name.toWellFormed(),
    path: path.toWellFormed(),
    type: typeNumber(type),
    size: type === 'file' ? sizeOf(size) : null,
    mtime: typeof mtime === 'string' ? timeOf(mtime) : null,
  }
}

function typeNumber(type: string): TypeNumber {
  if (type === 'file') return types.file
  if (type === 'dir') return types.folder
  return type === 'symlink' ? types.symlink : types.other
}

function sizeOf(size: unknown): number {
  // Left out when it is 0, by some versions.
  if (size === undefined) return 0
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : refuse('A size is none')
}

function timeOf(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
