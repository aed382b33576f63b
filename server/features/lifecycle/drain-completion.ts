import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Tenant } from '../../db/tenant.ts'
import { type Clock, iso, second } from '../../platform/clock.ts'
import { DueWork } from '../../platform/due-work.ts'
import type { Log } from '../../platform/log.ts'
import type { Drains } from './drains.ts'

/** How long a drain lasts at least, so that the user who began it sees it; milliseconds. */
const restMs = 2 * second

/**
 * Ends a drain soon after its last agent has gone, or after its beginning where there was none, instead of at the next
 * sweep. Kept in memory only: the sweep ends what is missed here.
 */
export class DrainCompletion {
  readonly #db: Database
  readonly #clock: Clock
  readonly #drains: Drains
  readonly #work: DueWork
  /** By the id of the tenant, the oldest first. */
  readonly #asked = new Map<string, { tenant: Tenant; dueAt: number }>()

  constructor(db: Database, clock: Clock, log: Log, drains: Drains) {
    this.#db = db
    this.#clock = clock
    this.#drains = drains
    this.#work = new DueWork(
      clock,
      log,
      (stopping) => this.#endDue(stopping),
      () => this.#nextDueAt(),
    )
  }

  /** Checks the drain of the tenant in two seconds. */
  checkSoon(tenant: Tenant): void {
    if (this.#asked.has(tenant.id)) return
    this.#asked.set(tenant.id, { tenant, dueAt: this.#clock.now() + restMs })
    this.#work.wake()
  }

  /** A device of the organization is out of service. */
  deviceLeft(orgId: string): void {
    const org = this.#db.first(
      q
        .selectFrom('organizations')
        .innerJoin('partners', 'partners.id', 'organizations.partner_id')
        .select([
          'partners.id as partner_id',
          'organizations.status as org_status',
          'partners.status as partner_status',
        ])
        .where('organizations.id', '=', orgId),
    )
    if (org?.org_status === 'offboarding') this.checkSoon({ kind: 'organization', id: orgId })
    if (org?.partner_status === 'offboarding') this.checkSoon({ kind: 'partner', id: org.partner_id })
  }

  start(): void {
    this.#work.start()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  async #endDue(stopping: AbortSignal): Promise<void> {
    for (const [id, { tenant, dueAt }] of this.#asked) {
      if (dueAt > this.#clock.now()) continue
      this.#asked.delete(id)
      if (this.#drains.isEmpty(tenant)) await this.#drains.advance(tenant, stopping)
    }
  }

  #nextDueAt(): string | null {
    const [first] = this.#asked.values()
    return first ? iso(first.dueAt) : null
  }
}
