import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Damage } from './restic-damage.ts'
import type { RunThere } from './restic-maintenance.ts'

/** Files and folders that damage touches, by snapshot, with the reason. `/` stands for all of a snapshot. */
export type Touched = Map<string, Map<string, string>>

/** More of one snapshot are not kept. */
const keptPaths = 100_000
/** As many as fit on a command line everywhere. */
const idsAtOnce = 300

/** Each takes a run of restic. */
const mostTried = 100

const reason = 'its data in the storage is damaged or missing'
const folderReason = 'the list of what is in this folder is damaged or missing in the storage'

/**
 * Which files of which snapshots need what is damaged; folders by name only in the snapshot that is asked about. Nothing
 * is known where the index is damaged.
 */
export async function filesTouchedBy(run: RunThere, damage: Damage, snapshotId: string): Promise<Touched> {
  if (damage.isIndexDamaged) return new Map()
  const search = new Search(run)
  const unlisted: string[] = []
  const { packs, changedPacks, namedPacks } = damage
  const others = [...packs].filter((id) => !changedPacks.has(id) && !namedPacks.has(id))
  // Of a pack whose end is damaged restic cannot say what is in it; the index can.
  for (const some of batches([...changedPacks])) if (!(await search.find('--pack', some))) unlisted.push(...some)
  await search.leaveOutReadable(snapshotId)
  for (const some of batches(others)) if (!(await search.find('--pack', some))) unlisted.push(...some)
  const pieces = new Set(damage.blobs)
  if (unlisted.length > 0) for (const id of await contentOf(run, new Set(unlisted))) pieces.add(id)
  // Folders that cannot be opened are met on the way to anything.
  if (pieces.size === 0 && !search.hasLooked) pieces.add(madeUpIds[0] ?? '')
  for (const some of batches([...pieces])) await search.find('--blob', some)
  await search.nameFolders(snapshotId)
  if (damage.snapshots.has(snapshotId)) search.add(snapshotId, '/', reason)
  return search.touched
}

class Search {
  readonly touched: Touched = new Map()
  hasLooked = false
  readonly #run: RunThere
  /** Folders that could not be opened on the way, by snapshot. */
  readonly #closed = new Map<string, Set<string>>()

  constructor(run: RunThere) {
    this.#run = run
  }

  add(snapshotId: string, path: string, why: string): void {
    const files = this.touched.get(snapshotId) ?? new Map<string, string>()
    this.touched.set(snapshotId, files)
    if (files.size < keptPaths) files.set(path, why)
  }

  /** False when restic could not look. */
  async find(what: '--pack' | '--blob', ids: readonly string[]): Promise<boolean> {
    const end = await this.#look([what, '--', ...ids], ({ path, snapshot }) => this.add(snapshot, path, reason))
    this.hasLooked ||= end
    return end
  }

  /**
   * What can be read although it lies in a pack in which something has changed: of a few files each is tried. In other
   * snapshots all of them are counted.
   */
  async leaveOutReadable(snapshotId: string): Promise<void> {
    const found = this.touched.get(snapshotId)
    if (!found || found.size > mostTried) return
    for (const path of [...found.keys()]) {
      const takeOutput = (output: Readable) => void output.resume()
      const end = await this.#run(['dump', '--no-lock', '--', snapshotId, path], { takeOutput })
      if (end.code === 0) found.delete(path)
    }
  }

  /** The names of those in this snapshot; in others they are only counted. */
  async nameFolders(snapshotId: string): Promise<void> {
    const own = new Set(this.#closed.get(snapshotId))
    for (const [other, trees] of this.#closed)
      if (other !== snapshotId) for (const tree of trees) this.add(other, tree, folderReason)
    const unnamed = new Set(own)
    for (const some of batches([...own])) {
      // restic ends the search when it has found as many as it was asked for, and one may be in several places.
      const asked = [...some, ...madeUpIds]
      await this.#look(['--tree', '--snapshot', snapshotId, '--', ...asked], ({ id, path }) => {
        unnamed.delete(id)
        this.add(snapshotId, path, folderReason)
      })
    }
    if (unnamed.size > 0) this.add(snapshotId, '/', folderReason)
  }

  async #look(args: string[], match: (match: Match) => void): Promise<boolean> {
    const closed = (treeId: string, snapshotId: string) => {
      const trees = this.#closed.get(snapshotId) ?? new Set()
      this.#closed.set(snapshotId, trees.add(treeId))
    }
    const takeOutput = (output: Readable) => readMatches(output, { match, closed })
    return (await this.#run(['find', '--no-lock', ...args], { takeOutput })).code === 0
  }
}

/** Of nothing. */
const madeUpIds = Array.from({ length: 100 }, (_, n) => String(n).padStart(64, '0'))

interface Match {
  /** Of the piece, or of the list of a folder. */
  id: string
  path: string
  snapshot: string
}

/** One object of the array; a text begins like it nowhere else, since it has its quotes escaped. */
const beginning = '{"object_type":'
const wholeObject = /^\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}/s
const unableToLoad = /Unable to load tree ([0-9a-f]{64})\s+\.\.\. which belongs to snapshot ([0-9a-f]{64})/g

interface Listener {
  match: (match: Match) => void
  closed: (treeId: string, snapshotId: string) => void
}

/** `find` prints one array of any length, and complains in its midst. */
function readMatches(output: Readable, { match, closed }: Listener): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (piece: string) => {
    for (const [, treeId = '', snapshotId = ''] of piece.matchAll(unableToLoad)) closed(treeId, snapshotId)
    const found = matchIn(piece)
    if (found) match(found)
  }
  output.on('data', (chunk: Buffer) => {
    rest += decoder.write(chunk)
    for (let next = rest.indexOf(beginning, 1); next >= 0; next = rest.indexOf(beginning, 1)) {
      take(rest.slice(0, next))
      rest = rest.slice(next)
    }
  })
  output.on('end', () => take(rest))
}

function matchIn(piece: string): Match | undefined {
  const text = wholeObject.exec(piece)?.[0]
  if (text === undefined) return undefined
  const { id, path, snapshot }: Partial<Record<keyof Match, unknown>> = Object(JSON.parse(text))
  if (typeof id !== 'string' || typeof path !== 'string' || typeof snapshot !== 'string') return undefined
  return { id, path, snapshot }
}

/** The pieces of files in these packs, by the index of the repository. */
async function contentOf(run: RunThere, packs: ReadonlySet<string>): Promise<string[]> {
  const pieces: string[] = []
  const indexes: string[] = []
  await run(['list', 'index', '--no-lock'], { onText: (line) => indexes.push(line.trim()) })
  for (const id of indexes.filter((line) => /^[0-9a-f]{64}$/.test(line)))
    await run(['cat', 'index', id, '--no-lock'], { takeOutput: (output) => readIndex(output, packs, pieces) })
  return pieces
}

const pieceInIndex = /"id":\s*"([0-9a-f]{64})",\s*"type":\s*"data"/g
const packInIndex = /"id":\s*"([0-9a-f]{64})",\s*"blobs"/g

/** An index is one object of any size: it is read a pack at a time. */
function readIndex(output: Readable, packs: ReadonlySet<string>, pieces: string[]): void {
  let rest = ''
  const isWanted = (id: string) => packs.has(id) || packs.has(id.slice(0, 8))
  const take = (text: string) => {
    const [pack] = text.matchAll(packInIndex)
    if (pack?.[1] && isWanted(pack[1])) for (const [, id = ''] of text.matchAll(pieceInIndex)) pieces.push(id)
  }
  output.setEncoding('utf8')
  output.on('data', (chunk: string) => {
    rest += chunk
    const starts = [...rest.matchAll(packInIndex)].map(({ index }) => index)
    for (const [at, start] of starts.slice(0, -1).entries()) take(rest.slice(start, starts[at + 1]))
    const last = starts.at(-1)
    if (last !== undefined) rest = rest.slice(last)
  })
  output.on('end', () => take(rest))
}

function batches(ids: readonly string[]): string[][] {
  const all: string[][] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) all.push(ids.slice(at, at + idsAtOnce))
  return all
}
