import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, hour, iso, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { RepositoryFiles } from './repository-files.ts'

interface LeftoverServices {
  db: Database
  clock: Clock
  log: Log
  files: RepositoryFiles
}

/** A repository may come back with a backup of the appliance that is restored. */
const graceMs = 48 * hour

/**
 * Folders of the store that belong to no repository. Those that this database has forgotten, with their device or
 * organization, are removed. Others stay: after an older backup of the appliance was restored they are what was made since.
 */
export class Leftovers {
  readonly #services: LeftoverServices

  constructor(services: LeftoverServices) {
    this.#services = services
  }

  /** Removes those that were found long enough ago. Answers how many. */
  async remove(signal: AbortSignal): Promise<number> {
    const { files, log } = this.#services
    this.#note((await files.repositories()).filter((id) => !this.#isKnown(id)))
    const due = this.#due()
    for (const id of due) {
      signal.throwIfAborted()
      if (this.#isKnown(id)) continue
      await files.removeRepository(id)
      this.#forget(id)
      log.info({ repositoryId: id }, 'The backups of a device that is gone were removed')
    }
    return due.length
  }

  #isKnown(id: string): boolean {
    const { db } = this.#services
    return db.first(q.selectFrom('backup_repositories').select('id').where('id', '=', id)) !== undefined
  }

  /** Those that are there again, or gone, are no leftovers any more. */
  #note(found: readonly string[]): void {
    const { db, clock, log } = this.#services
    const rows = found.map((id) => ({ repository_id: id, found_at: isoNow(clock) }))
    db.transaction(() => {
      const noted = db.all(q.selectFrom('backup_store_leftovers').select('repository_id'))
      for (const { repository_id: id } of noted) if (!found.includes(id)) this.#drop(id)
      for (const row of rows) {
        const added = db.run(
          q
            .insertInto('backup_store_leftovers')
            .values(row)
            .onConflict((conflict) => conflict.doNothing()),
        )
        const { repository_id: repositoryId } = row
        if (added > 0 && !this.#isForgotten(repositoryId))
          log.warn({ repositoryId }, 'There are backups in the store that this appliance does not know. They stay')
      }
    })
  }

  #isForgotten(id: string): boolean {
    const forgotten = q.selectFrom('backup_forgotten_repositories').select('repository_id')
    return this.#services.db.first(forgotten.where('repository_id', '=', id)) !== undefined
  }

  #due(): string[] {
    const { db, clock } = this.#services
    const old = q
      .selectFrom('backup_store_leftovers as leftover')
      .innerJoin('backup_forgotten_repositories as forgotten', 'forgotten.repository_id', 'leftover.repository_id')
      .select('leftover.repository_id')
      .where('found_at', '<=', iso(clock.now() - graceMs))
    return db.all(old).map(({ repository_id }) => repository_id)
  }

  /** Its folder is gone. A folder of this name that comes back was put there by somebody. */
  #forget(id: string): void {
    const { db } = this.#services
    db.transaction(() => {
      this.#drop(id)
      db.run(q.deleteFrom('backup_forgotten_repositories').where('repository_id', '=', id))
    })
  }

  #drop(id: string): void {
    this.#services.db.run(q.deleteFrom('backup_store_leftovers').where('repository_id', '=', id))
  }
}
