import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'

const saveAfterMs = 5 * second

/** A repository and whose it is. */
interface Owned {
  repositoryId: string
  orgId: string
}

/** How many bytes repositories hold. Kept in memory and saved now and then: an upload must not wait for a row, or a sum. */
export class StoreUsage {
  readonly #db: Database
  readonly #clock: Clock
  readonly #unsaved = new Map<string, { orgId: string; bytes: number }>()
  /** By organization, what is not saved yet included; while uploads come in. */
  readonly #sums = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Bytes that all repositories of the organization hold here. */
  ofOrganization(orgId: string): number {
    const known = this.#sums.get(orgId)
    if (known !== undefined) return known
    let sum = this.#savedOf(orgId)
    for (const unsaved of this.#unsaved.values()) if (unsaved.orgId === orgId) sum += unsaved.bytes
    // Only until the next saving: others may change rows as well.
    if (this.#timer) this.#sums.set(orgId, sum)
    return sum
  }

  /** What was counted is in the repository, so the count begins anew. */
  set(repositoryId: string, bytes: number): void {
    this.#unsaved.delete(repositoryId)
    this.#sums.clear()
    this.#db.run(
      q
        .updateTable('backup_repositories')
        .set({ stored_bytes: bytes, updated_at: isoNow(this.#clock) })
        .where('id', '=', repositoryId),
    )
  }

  /** `bytes` is negative for what was removed. */
  add({ repositoryId, orgId }: Owned, bytes: number): void {
    const unsaved = this.#unsaved.get(repositoryId)?.bytes ?? 0
    this.#unsaved.set(repositoryId, { orgId, bytes: unsaved + bytes })
    const sum = this.#sums.get(orgId)
    if (sum !== undefined) this.#sums.set(orgId, sum + bytes)
    this.#timer ??= setTimeout(() => this.save(), saveAfterMs)
  }

  save(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const changes = [...this.#unsaved]
    this.#db.transaction(() => {
      for (const [id, { bytes }] of changes)
        this.#db.run(
          q
            .updateTable('backup_repositories')
            .set((now) => ({
              stored_bytes: now('stored_bytes', '+', bytes),
              is_in_store: 1,
              updated_at: isoNow(this.#clock),
            }))
            .where('id', '=', id),
        )
    })
    this.#unsaved.clear()
    this.#sums.clear()
  }

  #savedOf(orgId: string): number {
    const sum = q
      .selectFrom('backup_repositories')
      .select((select) => select.fn.coalesce(select.fn.sum<number>('stored_bytes'), select.lit(0)).as('bytes'))
      .where('org_id', '=', orgId)
      .where('is_in_store', '=', 1)
    return this.#db.one(sum).bytes
  }
}
