import type SQLite from 'better-sqlite3'
import type { IndexDatabase } from './index-file.ts'
import { types } from './listing.ts'
import { Marks } from './marks.ts'
import { columnsOf, nameOf } from './names.ts'

/** A state of a path, from an earlier snapshot. */
export interface KnownState {
  id: number
  type: number
  size: number | null
  mtime: number | null
  presence: number
}

export interface Known {
  /** The listing had this path before. */
  isSeen: boolean
  child: number | null
  states: readonly KnownState[]
}

/** Folders with more are asked about entry by entry. */
const mostOfOneFolder = 50_000
/** Of all folders together that the listing is within. */
const mostTogether = 400_000

/** What the index knows of a folder while its part of the listing is read. */
export interface KnownFolder {
  id: number
  /** By name, folders with a slash before it; null where the file is asked. */
  entries: Map<string, Known> | null
}

const seenLeaf: Known = { isSeen: true, child: null, states: [] }
const keyOf = (name: string, isFolder: boolean) => (isFolder ? `/${name}` : name)

interface Row extends KnownState {
  is_leaf: number
  name_key: string
  own_name: string
  child: number | null
}

/**
 * What the index knows already. The entries of a folder are read together when the listing comes to it, which takes a
 * third of the time of a question for each. A listing that jumps about does not have them read again and again.
 */
export class KnownEntries {
  readonly #ofFolder: SQLite.Statement<[number], Row>
  readonly #ofPath: SQLite.Statement<[number, number, string, string], Row>
  readonly #seen = new Marks()
  readonly #visited = new Marks()
  /** Ids from here on are of this listing. */
  readonly #firstNewId: number
  #loaded = 0

  constructor(db: IndexDatabase, firstNewId: number) {
    const columns = 'is_leaf, name_key, own_name, id, type, size, mtime, presence, child'
    this.#ofFolder = db.prepare(`SELECT ${columns} FROM entries WHERE folder = ? LIMIT ${mostOfOneFolder + 1}`)
    this.#ofPath = db.prepare(
      `SELECT ${columns} FROM entries WHERE folder = ? AND is_leaf = ? AND name_key = ? AND own_name = ?`,
    )
    this.#firstNewId = firstNewId
  }

  isSeen(id: number): boolean {
    return this.#seen.has(id)
  }

  /** Of a folder that the listing enters. */
  enter(id: number, isNew: boolean): KnownFolder {
    const isAgain = this.#visited.has(id)
    this.#visited.add(id)
    const entries = isAgain || this.#loaded >= mostTogether ? null : isNew ? new Map<string, Known>() : this.#read(id)
    this.#loaded += entries?.size ?? 0
    return { id, entries }
  }

  leave(folder: KnownFolder): void {
    this.#loaded -= folder.entries?.size ?? 0
  }

  find(folder: KnownFolder, name: string, isFolder: boolean): Known | undefined {
    if (folder.entries) return folder.entries.get(keyOf(name, isFolder))
    const { key, own } = columnsOf(name)
    const rows = this.#ofPath.all(folder.id, isFolder ? 0 : 1, key, own)
    const [first] = rows
    return first && { isSeen: rows.some(({ id }) => this.#isOfListing(id)), child: first.child, states: rows }
  }

  /** This state is in the new snapshot, too. */
  see(known: Known, state: KnownState): void {
    known.isSeen = true
    this.#seen.add(state.id)
  }

  /** An entry that is new in the index. */
  add(folder: KnownFolder, name: string, child: number | null): void {
    const { entries } = folder
    if (!entries) return
    const before = entries.size
    entries.set(keyOf(name, child !== null), child === null ? seenLeaf : { isSeen: true, child, states: [] })
    this.#loaded += entries.size - before
    if (entries.size <= mostOfOneFolder) return
    this.leave(folder)
    folder.entries = null
  }

  #isOfListing(id: number): boolean {
    return id >= this.#firstNewId || this.#seen.has(id)
  }

  #read(folder: number): Map<string, Known> | null {
    const entries = new Map<string, Known>()
    let rows = 0
    for (const row of this.#ofFolder.iterate(folder)) {
      if (++rows > mostOfOneFolder) return null
      const key = keyOf(nameOf(row.name_key, row.own_name), row.is_leaf === 0)
      const { id, type, size, mtime, presence, child } = row
      const others = entries.get(key)?.states ?? []
      entries.set(key, { isSeen: false, child, states: [...others, { id, type, size, mtime, presence }] })
    }
    return entries
  }
}

export const isFolderType = (type: number): boolean => type === types.folder
