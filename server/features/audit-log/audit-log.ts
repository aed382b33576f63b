import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { beginSteps, inSteps } from '../../lib/pieces.ts'
import { reachesEvent, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { type Filters, type Wanted, wantedOf } from './filters.ts'
import { FoundEvents } from './found.ts'
import { type EventRow, findEvent, madeOfEvents } from './rows.ts'
import { isInSight } from './sight.ts'

interface Page {
  page: number
  limit: number
  skipCount?: boolean | undefined
}

/** What people read of the log. Whatever is long, such as looking for something rare, leaves the event loop free. */
export class AuditLog {
  readonly #db: Database
  readonly #found: FoundEvents

  constructor(db: Database) {
    this.#db = db
    this.#found = new FoundEvents(db)
  }

  /**
   * Newest first. `signal` ends the search for somebody who does not wait for it.
   * @throws AppError `org_access_denied` for an organization out of reach
   */
  async list<View>(
    actor: UserActor,
    filters: Filters,
    { page, limit, skipCount = false }: Page,
    signal: AbortSignal,
    view: (event: EventRow) => View,
  ) {
    const wanted = wantedOf(this.#db, actor, filters)
    const counted = await this.#count(actor, filters, wanted, skipCount, signal)
    const offset = (page - 1) * limit
    const total = skipCount ? -1 : (counted?.total ?? 0)
    const pagination = { page, limit, total, totalPages: skipCount ? -1 : Math.ceil(total / limit) }
    const seqs = counted?.few
      ? this.#pageOf(counted.few, limit, offset)
      : await this.#found.page(wanted, offset, limit, signal)
    const events = await beginSteps(madeOfEvents(this.#db, seqs, view), (rest) => inSteps(signal, rest))
    return { events, pagination }
  }

  /** @throws AppError `audit_event_not_found`, or `site_access_denied` for what a device of elsewhere did */
  read(actor: UserActor, id: string): EventRow {
    const event = findEvent(this.#db, id)
    if (!event || !reachesEvent(actor, event)) throw new AppError('audit_event_not_found')
    if (event.actor_type === 'agent' && !this.#seesDevice(actor, event.actor_id))
      throw new AppError('site_access_denied')
    return event
  }

  /** Null where nobody knows and nobody asked. */
  async #count(actor: UserActor, filters: Filters, wanted: Wanted, skipCount: boolean, signal: AbortSignal) {
    const isEverything = !wanted.match && filters.from === undefined && filters.to === undefined
    if (isEverything) return skipCount ? null : { total: this.#everything(actor, filters.orgId), few: null }
    const known = await this.#found.known(wanted, signal)
    return known ?? (skipCount ? null : this.#found.all(wanted, signal))
  }

  /** The chains know how long they are. */
  #everything(actor: UserActor, orgId: string | undefined): number {
    const lengths = q
      .selectFrom('audit_chains')
      .select(({ fn }) => fn.sum<number | null>('length').as('total'))
      .where(orgId === undefined ? isInSight(actor) : sql<boolean>`org_id = ${orgId}`)
    return this.#db.first(lengths)?.total ?? 0
  }

  #pageOf(seqs: number[], limit: number, offset: number): number[] {
    const page = q
      .selectFrom('audit_logs')
      .select('seq')
      .where(sql<boolean>`seq in (select value from json_each(${JSON.stringify(seqs)}))`)
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
    return this.#db.all(page).map(({ seq }) => seq)
  }

  /** A device that is gone was somewhere that nobody can tell any more. */
  #seesDevice(actor: UserActor, id: string): boolean {
    if (actor.sites === null && actor.groups === null) return true
    const device = q.selectFrom('devices').select('id').where('id', '=', id).where(withinReach(actor, 'devices'))
    return this.#db.first(device) !== undefined
  }
}
