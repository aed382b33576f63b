import { randomUUIDv7 } from 'node:crypto'
import { posix } from 'node:path'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'

/** Until when the objects of one folder are locked, by their names in the repository. */
export type LockedUntil = Map<string, string>

/** What storage was asked to lock in repositories, so that no object is asked for twice. */
export class LockedObjects {
  readonly #services: { db: Database; clock: Clock }

  constructor(services: { db: Database; clock: Clock }) {
    this.#services = services
  }

  in(repositoryId: string, folder: string): LockedUntil {
    const row = this.#services.db.first(this.#row(repositoryId, folder))
    return new Map(row ? Object.entries(fromJson(row.objects)) : [])
  }

  /** Together with what is noted already; locks that are over are forgotten. */
  note(repositoryId: string, folder: string, locked: LockedUntil): void {
    const { db, clock } = this.#services
    db.transaction(() => {
      const now = isoNow(clock)
      const all = [...this.in(repositoryId, folder), ...locked].filter(([, until]) => until > now)
      const objects = toJson(Object.fromEntries(all))
      const row = { id: randomUUIDv7(), repository_id: repositoryId, folder, objects }
      db.run(
        q
          .insertInto('backup_locked_objects')
          .values(row)
          .onConflict((conflict) => conflict.columns(['repository_id', 'folder']).doUpdateSet({ objects })),
      )
    })
  }

  /** When storage has not done what it said, or it is another one. */
  forget(repositoryId: string): void {
    this.#services.db.run(q.deleteFrom('backup_locked_objects').where('repository_id', '=', repositoryId))
  }

  #row(repositoryId: string, folder: string) {
    return q
      .selectFrom('backup_locked_objects')
      .select('objects')
      .where('repository_id', '=', repositoryId)
      .where('folder', '=', folder)
  }
}

/** `data/0f` of `data/0f/0f3a…`; of what lies at the top it is `.`. */
export const folderOf = (name: string): string => posix.dirname(name)
