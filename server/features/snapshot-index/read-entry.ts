import type { IndexDatabase } from './index-file.ts'
import { entriesAt, entryOf, namesIn, pathNotFound, snapshotOf } from './reading.ts'
import type { Entry, Questions } from './shapes.ts'

/** What a path is in a snapshot; of a file and a folder that look alike, the folder. */
export function readEntry(db: IndexDatabase, { snapshotId, path }: Questions['entry']['input']): Entry {
  const snapshot = snapshotOf(db, snapshotId)
  const names = namesIn(path, snapshot.isWindows)
  const alike = entriesAt(db, snapshot.key, names)
  const found = alike.find(({ child }) => child !== null) ?? alike[0]
  if (!found) throw pathNotFound(path)
  return entryOf(found, names.slice(0, -1), snapshot.isWindows)
}
