import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { Bounds } from './bounds.ts'
import { DiskRoom } from './disk-room.ts'
import { asIndexError, IndexError } from './index-error.ts'
import type { IndexDatabase } from './index-file.ts'
import { ListingReader } from './listing.ts'
import { NewSnapshot } from './new-snapshot.ts'
import { finishRemoval } from './remove-snapshots.ts'
import type { SnapshotName, StoredListing } from './shapes.ts'

interface ToStore {
  snapshot: SnapshotName
  /** The file with what the device sent. */
  listing: string
  bounds: Bounds
}

const pieceBytes = 256 * 1024

/**
 * Stores a snapshot, all of it or nothing: after a kill SQLite itself takes back what was written. One that is there
 * already stays as it is.
 */
export async function storeListing(db: IndexDatabase, { snapshot, listing, bounds }: ToStore): Promise<StoredListing> {
  const stored = storedBefore(db, snapshot.id)
  if (stored) return stored
  finishRemoval(db)
  db.exec('BEGIN IMMEDIATE')
  try {
    const added = new NewSnapshot(db, bounds)
    let isWindows = false
    const reader = new ListingReader(bounds, {
      snapshot: (header) => {
        if (header.id !== snapshot.id) throw new IndexError('bad_listing', 'The listing is of another snapshot')
        isWindows = header.isWindows
      },
      node: (node) => added.add(node),
    })
    const room = new DiskRoom(dirname(listing), bounds.reservedBytes)
    for await (const chunk of unpacked(listing)) {
      await room.take(chunk.length)
      reader.push(chunk)
    }
    reader.end()
    const result = added.end(snapshot, isWindows)
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk has made SQLite take it back already.
    if (db.inTransaction) db.exec('ROLLBACK')
    throw asIndexError(error)
  } finally {
    // Readers may still need the older pages; what is left goes the next time.
    db.pragma('wal_checkpoint(TRUNCATE)')
  }
}

function storedBefore(db: IndexDatabase, id: string): StoredListing | undefined {
  return db
    .prepare<[string], StoredListing>('SELECT files, folders, bytes, 0 AS alike FROM snapshots WHERE snapshot = ?')
    .get(id)
}

async function* unpacked(listing: string): AsyncGenerator<Buffer> {
  const file = createReadStream(listing, { highWaterMark: pieceBytes })
  const gunzip = createGunzip({ chunkSize: pieceBytes })
  file.on('error', (error) => gunzip.destroy(error))
  try {
    yield* file.pipe(gunzip)
  } finally {
    file.destroy()
    gunzip.destroy()
  }
}
