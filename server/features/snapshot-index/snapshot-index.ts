import { mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { type Bounds, longestPage, bounds as usualBounds } from './bounds.ts'
import { IndexError } from './index-error.ts'
import { IndexThread } from './index-thread.ts'
import { ReceivedListings } from './received-listing.ts'
import type { Asked, Entry, IndexedSnapshot, Questions, SnapshotName, StoredListing } from './shapes.ts'

/** What is asked about a repository. */
type Input<Name extends Asked> = Questions[Name]['input']
type Output<Name extends Asked> = Promise<Questions[Name]['output']>

/** A file name is made of it. */
const isId = (id: string) => /^[0-9a-f-]{36}$/i.test(id)

/**
 * The files in the snapshots of each repository. It can be made anew from what `restic ls` says of each snapshot, and is
 * therefore no part of a backup of the appliance.
 */
export class SnapshotIndex {
  readonly #folder: string
  readonly #bounds: Bounds
  readonly #received: ReceivedListings
  readonly #writing = new IndexThread()
  /** Pages of folders do not wait for what looks at a million entries. */
  readonly #pages = new IndexThread()
  readonly #scans = new IndexThread()
  /** One thread writes, one piece of work after the other. */
  readonly #inTurn = pLimit(1)
  /** Index files that are being deleted. */
  readonly #leaving = new Set<string>()

  constructor(folder: string, bounds: Partial<Bounds> = {}) {
    this.#folder = folder
    this.#bounds = { ...usualBounds, ...bounds }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#received = new ReceivedListings(folder, this.#bounds)
  }

  /**
   * Stores what `restic ls --json` prints of a snapshot, compressed with gzip. Of one that is stored already it only says
   * what it has. When this fails, the snapshot is not in the index, and everything else is as before.
   * @throws IndexError `bad_listing`, `too_large`, `disk_full`, `damaged`
   */
  async store(repositoryId: string, snapshot: SnapshotName, listing: Readable): Promise<StoredListing> {
    const file = this.#fileOf(repositoryId)
    return this.#received.receive(listing, (received) =>
      this.#inTurn(() => this.#writing.ask('store', file, { snapshot, listing: received, bounds: this.#bounds })),
    )
  }

  /** Removes snapshots; those that are not there are passed over. */
  async remove(repositoryId: string, snapshotIds: readonly string[]): Promise<void> {
    const file = this.#fileOf(repositoryId)
    await this.#inTurn(() => this.#writing.ask('remove', file, { snapshotIds, bounds: this.#bounds }))
  }

  /** Removes the whole index of a repository, also one that is damaged. */
  async removeRepository(repositoryId: string): Promise<void> {
    const file = this.#fileOf(repositoryId)
    await this.#inTurn(async () => {
      this.#leaving.add(file)
      try {
        await Promise.all([this.#pages.close(file), this.#scans.close(file)])
        await this.#writing.ask('delete', file, {})
      } finally {
        this.#leaving.delete(file)
      }
    })
  }

  /** Ids of all repositories that have an index. */
  async repositories(): Promise<string[]> {
    const names = await readdir(this.#folder)
    return names.flatMap((name) => /^([0-9a-f-]{36})\.db$/.exec(name)?.[1] ?? [])
  }

  /** The snapshots whose files are in the index, the newest first. */
  async indexed(repositoryId: string): Promise<IndexedSnapshot[]> {
    try {
      return await this.#ask(this.#pages, 'indexed', repositoryId, {})
    } catch (error) {
      if (error instanceof IndexError && error.code === 'not_indexed') return []
      throw error
    }
  }

  async isIndexed(repositoryId: string, snapshotId: string): Promise<boolean> {
    return (await this.indexed(repositoryId)).some(({ id }) => id === snapshotId)
  }

  /** A folder, folders first, then by name. `/` is the top one. */
  folder(repositoryId: string, input: Input<'folder'>): Output<'folder'> {
    return this.#ask(this.#pages, 'folder', repositoryId, bounded(input))
  }

  /** One file or folder. */
  entry(repositoryId: string, input: Input<'entry'>): Output<'entry'> {
    return this.#ask(this.#pages, 'entry', repositoryId, input)
  }

  /** What a path was over time. */
  versions(repositoryId: string, path: string): Output<'versions'> {
    return this.#ask(this.#pages, 'versions', repositoryId, { path })
  }

  /** Files and folders of all snapshots whose name contains a text. */
  search(repositoryId: string, input: Input<'search'>): Output<'search'> {
    return this.#ask(this.#scans, 'search', repositoryId, bounded(input))
  }

  compare(repositoryId: string, input: Input<'compare'>): Output<'compare'> {
    return this.#ask(this.#scans, 'compare', repositoryId, bounded(input))
  }

  /** How much has changed from one snapshot to another; with `alike` some files that look the same are drawn, too. */
  measure(repositoryId: string, input: Input<'measure'>): Output<'measure'> {
    return this.#ask(this.#scans, 'measure', repositoryId, input)
  }

  /** How much a restore of these files and folders is. */
  expand(repositoryId: string, input: Input<'expand'>): Output<'expand'> {
    return this.#ask(this.#scans, 'expand', repositoryId, input)
  }

  /** The whole tree, as JSON text of the API’s nodes, up to so many. */
  tree(repositoryId: string, snapshotId: string, limit = 50_000): Output<'tree'> {
    return this.#ask(this.#scans, 'tree', repositoryId, { snapshotId, limit })
  }

  /** Everything below a folder, each folder right before what is in it; or the file itself. */
  async *filesBelow(
    repositoryId: string,
    snapshotId: string,
    path: string,
    entriesAtOnce = longestPage,
  ): AsyncGenerator<Entry> {
    let after: string | null = null
    do {
      const input: Input<'below'> = { snapshotId, path, after, limit: entriesAtOnce }
      const page: Questions['below']['output'] = await this.#ask(this.#scans, 'below', repositoryId, input)
      yield* page.items
      after = page.next
    } while (after !== null)
  }

  removeLeftovers(): Promise<void> {
    return this.#received.removeLeftovers()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#writing.stop(), this.#pages.stop(), this.#scans.stop()])
  }

  async #ask<Name extends Asked>(
    thread: IndexThread,
    ask: Name,
    repositoryId: string,
    input: Input<Name>,
  ): Output<Name> {
    const file = this.#fileOf(repositoryId)
    if (this.#leaving.has(file)) throw new IndexError('not_indexed', 'The index is being removed')
    return thread.ask(ask, file, input)
  }

  #fileOf(repositoryId: string): string {
    if (!isId(repositoryId)) throw new Error(`No repository is called ${repositoryId}`)
    return join(this.#folder, `${repositoryId}.db`)
  }
}

const bounded = <Query extends { limit: number }>(query: Query): Query => ({
  ...query,
  limit: Math.max(1, Math.min(longestPage, Math.floor(query.limit))),
})
