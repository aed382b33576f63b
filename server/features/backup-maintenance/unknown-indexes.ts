import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'

/** Removes the names of files of repositories that are gone with their device or organization. */
export async function removeUnknownIndexes(
  { db, index }: { db: Database; index: SnapshotIndex },
  signal: AbortSignal,
): Promise<void> {
  for (const id of await index.repositories()) {
    signal.throwIfAborted()
    const isKnown = db.first(q.selectFrom('backup_repositories').select('id').where('id', '=', id)) !== undefined
    if (!isKnown) await index.removeRepository(id)
  }
}
