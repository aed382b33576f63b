import type SQLite from 'better-sqlite3'
import { type Bounds, deepestPath } from './bounds.ts'
import { IndexError } from './index-error.ts'
import type { IndexDatabase } from './index-file.ts'
import { isFolderType, type Known, KnownEntries, type KnownFolder } from './known-entries.ts'
import { type ListedNode, types } from './listing.ts'
import { columnsOf } from './names.ts'
import { isName } from './paths.ts'
import { addPresence } from './presences.ts'
import type { SnapshotName, StoredListing } from './shapes.ts'

type State = Pick<ListedNode, 'name' | 'type' | 'size' | 'mtime'>

/** The id of a folder, and whether the index had none of that path. */
interface Child {
  id: number
  isNew: boolean
}

/** A folder that the listing is within. */
interface OpenFolder {
  path: string
  known: KnownFolder
}

/** Writes the files and folders of one snapshot, in a transaction that its caller has begun. */
export class NewSnapshot {
  readonly #db: IndexDatabase
  readonly #bounds: Bounds
  readonly #known: KnownEntries
  readonly #insertEntry: SQLite.Statement
  readonly #insertFolder: SQLite.Statement
  readonly #presence: number
  /** From the top folder down to the one whose entries come. */
  readonly #open: OpenFolder[]
  /** How many entries of each presence the snapshot has, too. */
  readonly #seenOf = new Map<number, number>()
  readonly #listing: StoredListing = { files: 0, folders: 0, bytes: 0, alike: 0 }
  readonly #firstId: number
  #nextId: number
  #nextFolder: number
  #jumps = 0

  constructor(db: IndexDatabase, bounds: Bounds) {
    this.#db = db
    this.#bounds = bounds
    const counter = db.prepare<[string], number>('SELECT value FROM counters WHERE name = ?').pluck()
    const next = (name: string) => (counter.get(name) ?? 0) + 1
    this.#presence = next('presence')
    this.#nextFolder = next('folder')
    this.#firstId = this.#nextId = next('entry')
    this.#known = new KnownEntries(db, this.#firstId)
    this.#open = [{ path: '', known: this.#known.enter(0, false) }]
    this.#insertEntry = db.prepare(
      `INSERT INTO entries (folder, is_leaf, name_key, own_name, id, type, size, mtime, presence, child)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#insertFolder = db.prepare('INSERT INTO folders (id, parent, name) VALUES (?, ?, ?)')
  }

  add(node: ListedNode): void {
    const folder = this.#enter(node.path.slice(0, -node.name.length - 1))
    const child = this.#record(folder, node)
    if (child) this.#push(node.path, child)
  }

  end(snapshot: SnapshotName, isWindows: boolean): StoredListing {
    const { files, folders, bytes } = this.#listing
    const { lastInsertRowid } = this.#db
      .prepare('INSERT INTO snapshots (snapshot, time, is_windows, files, folders, bytes) VALUES (?, ?, ?, ?, ?, ?)')
      .run(snapshot.id, snapshot.time, isWindows ? 1 : 0, files, folders, bytes)
    const lastPresence = addPresence(this.#db, {
      snapshot: Number(lastInsertRowid),
      own: this.#nextId > this.#firstId ? this.#presence : null,
      next: this.#presence + 1,
      seenOf: this.#seenOf,
      isSeen: (id) => this.#known.isSeen(id),
    })
    const count = this.#db.prepare('UPDATE counters SET value = ? WHERE name = ?')
    count.run(lastPresence, 'presence')
    count.run(this.#nextFolder - 1, 'folder')
    count.run(this.#nextId - 1, 'entry')
    return this.#listing
  }

  /** The folder of that path. restic lists a folder right before what is in it, so that it is usually open. */
  #enter(path: string): OpenFolder {
    for (;;) {
      const last = this.#last()
      if (last.path === path) return last
      if (this.#open.length === 1 || path.startsWith(`${last.path}/`)) return this.#descend(last, path)
      this.#open.pop()
      this.#known.leave(last.known)
    }
  }

  #last(): OpenFolder {
    const last = this.#open.at(-1)
    if (!last) throw new Error('The top folder was left')
    return last
  }

  /** To a folder that was not listed right before; one that was not listed at all is made. */
  #descend(from: OpenFolder, path: string): OpenFolder {
    const names = path.slice(from.path.length + 1).split('/')
    this.#jumps += names.length
    if (this.#jumps > this.#bounds.jumps) throw new IndexError('bad_listing', 'The listing has no order')
    let at = from
    for (const name of names) {
      if (!isName(name)) throw new IndexError('bad_listing', 'A path is none')
      const known = this.#known.find(at.known, name, true)
      const child = known?.isSeen
        ? again(known)
        : this.#record(at, { name, type: types.folder, size: null, mtime: null })
      if (child) at = this.#push(`${at.path}/${name}`, child)
    }
    return at
  }

  #push(path: string, { id, isNew }: Child): OpenFolder {
    const open = { path, known: this.#known.enter(id, isNew) }
    this.#open.push(open)
    return open
  }

  /** Null for what is no folder. */
  #record({ known: folder }: OpenFolder, state: State): Child | null {
    // As deep as it is: the top folder is open, too.
    if (this.#open.length > deepestPath) throw new IndexError('bad_listing', 'A path is too deep')
    const isFolder = isFolderType(state.type)
    const known = this.#known.find(folder, state.name, isFolder)
    if (known?.isSeen) {
      this.#listing.alike++
      return again(known)
    }
    this.#count(state)
    if (known && this.#isAsBefore(known, state)) return again(known)
    const child = isFolder ? (again(known) ?? this.#newFolder(folder.id, state.name)) : null
    this.#insert(folder, state, child?.id ?? null)
    return child
  }

  #insert(folder: KnownFolder, { name, type, size, mtime }: State, child: number | null): void {
    const { key, own } = columnsOf(name)
    const isLeaf = child === null ? 1 : 0
    this.#insertEntry.run(folder.id, isLeaf, key, own, this.#nextId++, type, size, mtime, this.#presence, child)
    this.#known.add(folder, name, child)
  }

  #isAsBefore(known: Known, { type, size, mtime }: State): boolean {
    const state = known.states.find((one) => one.mtime === mtime && one.size === size && one.type === type)
    if (!state) return false
    this.#known.see(known, state)
    this.#seenOf.set(state.presence, (this.#seenOf.get(state.presence) ?? 0) + 1)
    return true
  }

  #newFolder(parent: number, name: string): Child {
    const id = this.#nextFolder++
    this.#insertFolder.run(id, parent, name)
    return { id, isNew: true }
  }

  #count({ type, size }: State): void {
    if (isFolderType(type)) this.#listing.folders++
    else this.#listing.files++
    this.#listing.bytes += size ?? 0
    if (!Number.isSafeInteger(this.#listing.bytes)) throw new IndexError('bad_listing', 'The sizes are not real')
    if (this.#listing.files + this.#listing.folders > this.#bounds.nodes)
      throw new IndexError('too_large', 'The snapshot has too many files')
  }
}

const again = (known: Known | undefined): Child | null =>
  known && known.child !== null ? { id: known.child, isNew: false } : null
