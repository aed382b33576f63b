import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'

const saveAfterMs = 5 * second

/** How many bytes each repository holds. Kept in memory and saved now and then: an upload must not wait for a row. */
export class StoreUsage {
  readonly #db: Database
  readonly #clock: Clock
  readonly #unsaved = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Bytes that all repositories of the organization hold here. */
  ofOrganization(orgId: string): number {
    const repositories = this.#db.all(
      q
        .selectFrom('backup_repositories')
        .select(['id', 'stored_bytes'])
        .where('org_id', '=', orgId)
        .where('measured_at', 'is', null),
    )
    return repositories.reduce((sum, { id, stored_bytes }) => sum + stored_bytes + (this.#unsaved.get(id) ?? 0), 0)
  }

  /** What was counted is in the repository, so the count begins anew. */
  set(repositoryId: string, bytes: number): void {
    this.#unsaved.delete(repositoryId)
    this.#db.run(
      q
        .updateTable('backup_repositories')
        .set({ stored_bytes: bytes, updated_at: isoNow(this.#clock) })
        .where('id', '=', repositoryId),
    )
  }

  /** `bytes` is negative for what was removed. */
  add(repositoryId: string, bytes: number): void {
    this.#unsaved.set(repositoryId, (this.#unsaved.get(repositoryId) ?? 0) + bytes)
    this.#timer ??= setTimeout(() => this.save(), saveAfterMs)
  }

  save(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const changes = [...this.#unsaved]
    this.#db.transaction(() => {
      for (const [id, bytes] of changes)
        this.#db.run(
          q
            .updateTable('backup_repositories')
            .set((now) => ({ stored_bytes: now('stored_bytes', '+', bytes), updated_at: isoNow(this.#clock) }))
            .where('id', '=', id),
        )
    })
    this.#unsaved.clear()
  }
}
