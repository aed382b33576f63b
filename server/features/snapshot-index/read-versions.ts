import type { IndexDatabase } from './index-file.ts'
import { columnsOf } from './names.ts'
import { shownPath } from './paths.ts'
import { folderOf, isoTime, namesIn, newestOf, pathNotFound, typeOf } from './reading.ts'
import type { PathVersions, SnapshotName, Version } from './shapes.ts'

interface VersionRow {
  id: number
  type: number
  size: number | null
  mtime: number | null
  snapshot: string
  time: number
}

/** What a path was in the snapshots that have it, the newest first. */
export function readVersions(db: IndexDatabase, { path }: { path: string }): PathVersions {
  const newest = newestOf(db)
  if (!newest) throw pathNotFound(path)
  const names = namesIn(path, newest.isWindows)
  const versions = versionsOf(db, folderOf(db, names.slice(0, -1)), names.at(-1))
  if (versions.length === 0) throw pathNotFound(path)
  return { path: shownPath(names, newest.isWindows), versions }
}

export function versionsOf(db: IndexDatabase, folder: number | undefined, name: string | undefined): Version[] {
  if (folder === undefined || name === undefined) return []
  const { key, own } = columnsOf(name)
  const rows = db
    .prepare<[number, string, string], VersionRow>(
      `SELECT entries.id, type, size, mtime, snapshots.snapshot, snapshots.time
       FROM entries JOIN presences USING (presence) JOIN snapshots ON snapshots.id = presences.snapshot
       WHERE folder = ? AND is_leaf IN (0, 1) AND name_key = ? AND own_name = ?
       ORDER BY snapshots.time DESC, snapshots.id DESC`,
    )
    .all(folder, key, own)
  const versions = new Map<number, Version>()
  for (const { id, type, size, mtime, snapshot, time } of rows) {
    const taken: SnapshotName = { id: snapshot, time }
    const known = versions.get(id)
    if (known) {
      known.oldestSnapshot = taken
      known.snapshots++
    } else
      versions.set(id, {
        ...{ type: typeOf(type), size, modifiedAt: isoTime(mtime) },
        ...{ newestSnapshot: taken, oldestSnapshot: taken, snapshots: 1 },
      })
  }
  return [...versions.values()]
}
