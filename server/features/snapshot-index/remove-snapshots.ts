import type { IndexDatabase } from './index-file.ts'

/** Folders whose entries are looked at in one transaction. */
const foldersAtOnce = 500
/** Free pages are given back to the disk when there are more, and more than a quarter of all. */
const mostFreePages = 2000

/** Removes snapshots, and the entries that no other one has. */
export function removeSnapshots(db: IndexDatabase, ids: readonly string[]): void {
  finishRemoval(db)
  db.transaction(() => {
    const presences = db.prepare<[], number>('SELECT DISTINCT presence FROM presences').pluck().all()
    const removed = db.prepare<[string], number>('DELETE FROM snapshots WHERE snapshot = ? RETURNING id').pluck()
    const leave = db.prepare('DELETE FROM presences WHERE snapshot = ?')
    for (const id of ids) {
      const snapshot = removed.get(id)
      if (snapshot !== undefined) leave.run(snapshot)
    }
    const decide = db.prepare('INSERT INTO fates (presence, heir) VALUES (?, ?)')
    for (const [presence, heir] of fatesOf(db, presences)) decide.run(presence, heir)
  })()
  finishRemoval(db)
}

/** Presences without a snapshot go; of those that have become equal, the first one takes the entries of the others. */
function fatesOf(db: IndexDatabase, presences: readonly number[]): Map<number, number | null> {
  const sets = new Map(
    db
      .prepare<[], [number, string]>(
        'SELECT presence, group_concat(snapshot ORDER BY snapshot) FROM presences GROUP BY presence',
      )
      .raw()
      .all(),
  )
  const firstWith = new Map<string, number>()
  const fates = new Map<number, number | null>()
  for (const presence of presences.toSorted((one, other) => one - other)) {
    const set = sets.get(presence)
    const heir = set === undefined ? null : (firstWith.get(set) ?? presence)
    if (set !== undefined && heir !== null) firstWith.set(set, heir)
    if (heir !== presence) fates.set(presence, heir)
  }
  return fates
}

/**
 * Does what removals have left to do, in small transactions: a kill in between leaves entries that no snapshot shows, and
 * the next removal goes on.
 */
export function finishRemoval(db: IndexDatabase): void {
  if (db.prepare('SELECT 1 FROM fates LIMIT 1').get() === undefined) return
  const last = db.prepare<[], number>('SELECT max(id) FROM folders').pluck().get() ?? 0
  const within = 'folder BETWEEN ? AND ?'
  const drop = db.prepare(
    `DELETE FROM entries WHERE ${within} AND presence IN (SELECT presence FROM fates WHERE heir IS NULL)`,
  )
  const inherit = db.prepare(
    `UPDATE entries SET presence = (SELECT heir FROM fates WHERE fates.presence = entries.presence)
     WHERE ${within} AND presence IN (SELECT presence FROM fates WHERE heir IS NOT NULL)`,
  )
  for (let from = 0; from <= last; from += foldersAtOnce)
    db.transaction(() => {
      drop.run(from, from + foldersAtOnce - 1)
      inherit.run(from, from + foldersAtOnce - 1)
    })()
  db.transaction(() => {
    db.exec(`
      DELETE FROM presences WHERE presence IN (SELECT presence FROM fates);
      DELETE FROM folders WHERE id NOT IN (SELECT child FROM entries WHERE child IS NOT NULL);
      DELETE FROM fates;
    `)
  })()
  giveBack(db)
}

function giveBack(db: IndexDatabase): void {
  const pages = Number(db.pragma('page_count', { simple: true }))
  const free = Number(db.pragma('freelist_count', { simple: true }))
  if (free > mostFreePages && free * 4 > pages)
    for (let given = 0; given < free; given += mostFreePages) db.pragma(`incremental_vacuum(${mostFreePages})`)
  db.pragma('wal_checkpoint(TRUNCATE)')
}
