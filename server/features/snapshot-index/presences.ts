import type { IndexDatabase } from './index-file.ts'

interface Addition {
  snapshot: number
  /** The presence of entries that no earlier snapshot has; null when there are none. */
  own: number | null
  /** The first number that is free for a presence. */
  next: number
  /** How many entries of each presence the snapshot has. */
  seenOf: ReadonlyMap<number, number>
  isSeen: (id: number) => boolean
}

/** Where the entries of a presence go that part: those that are in the snapshot, or those that are not. */
interface Parting {
  to: number
  moveSeen: boolean
}

/**
 * Adds a snapshot to the sets of snapshots that its entries have. A set of which it has only some entries is parted, and
 * the smaller part moves to a new set. Returns the last number in use.
 */
export function addPresence(db: IndexDatabase, { snapshot, own, next, seenOf, isSeen }: Addition): number {
  const add = db.prepare('INSERT INTO presences (snapshot, presence) VALUES (?, ?)')
  const copy = db.prepare(
    'INSERT INTO presences (snapshot, presence) SELECT snapshot, ? FROM presences WHERE presence = ?',
  )
  if (own !== null) add.run(snapshot, own)
  const partings = new Map<number, Parting>()
  let last = next - 1
  for (const [presence, total] of totals(db)) {
    const seen = seenOf.get(presence) ?? 0
    if (seen === 0) continue
    const parting = seen < total ? { to: ++last, moveSeen: seen * 2 < total } : null
    if (parting) {
      copy.run(parting.to, presence)
      partings.set(presence, parting)
    }
    add.run(snapshot, parting?.moveSeen ? parting.to : presence)
  }
  if (partings.size > 0) move(db, partings, isSeen)
  return last
}

function totals(db: IndexDatabase): [number, number][] {
  return db.prepare<[], [number, number]>('SELECT presence, count(*) FROM entries GROUP BY presence').raw().all()
}

/** All of them in one walk through the entries. */
function move(db: IndexDatabase, partings: ReadonlyMap<number, Parting>, isSeen: (id: number) => boolean): void {
  db.function('new_presence', (presence: number) => partings.get(presence)?.to ?? presence)
  db.function('is_moving', (presence: number, id: number) => (partings.get(presence)?.moveSeen === isSeen(id) ? 1 : 0))
  db.prepare(
    `UPDATE entries SET presence = new_presence(presence)
     WHERE presence IN (SELECT value FROM json_each(?)) AND is_moving(presence, id)`,
  ).run(JSON.stringify([...partings.keys()]))
}
