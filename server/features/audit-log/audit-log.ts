import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import { reachesEvent, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { type EventRow, findEvent, mapEvents, traitsOf } from './event-rows.ts'
import { type EventQuery, eventQuery, type Filters } from './filters.ts'
import { FoldedEntries } from './folded-entries.ts'
import { SearchCache } from './search-cache.ts'
import { entryView } from './views.ts'
import { isVisibleTo } from './visibility.ts'

const eventsFoldedAtOnce = 200

interface Page {
  page: number
  limit: number
  skipCount?: boolean | undefined
}

/** The log as people read it. Searches run in steps, between which other requests are served. */
export class AuditLog {
  readonly #db: Database
  readonly #searches: SearchCache

  constructor(db: Database) {
    this.#db = db
    this.#searches = new SearchCache(db)
  }

  /**
   * A page of events, newest first. With `skipCount` both totals are -1.
   * @param signal ends the search when the client disconnects
   * @throws AppError `org_access_denied` for an organization out of reach
   */
  async list<View>(
    actor: UserActor,
    filters: Filters,
    { page, limit, skipCount = false }: Page,
    signal: AbortSignal,
    view: (event: EventRow) => View,
  ) {
    const query = eventQuery(this.#db, actor, filters)
    const result = await this.#count(actor, filters, query, skipCount, signal)
    const offset = (page - 1) * limit
    const total = skipCount ? -1 : (result?.total ?? 0)
    const pagination = { page, limit, total, totalPages: skipCount ? -1 : Math.ceil(total / limit) }
    const seqs = result?.seqs
      ? this.#pageOf(result.seqs, limit, offset)
      : await this.#searches.page(query, offset, limit, signal)
    const events = await beginSteps(mapEvents(this.#db, seqs, view), (rest) => inSteps(signal, rest))
    return { events, pagination }
  }

  /**
   * A page of entries, newest first, into which events are folded. Ends where the first entry of the next page begins.
   * @param signal ends the search when the client disconnects
   * @throws AppError `org_access_denied` for an organization out of reach
   */
  async entries(actor: UserActor, filters: Filters, { page, limit }: Page, signal: AbortSignal) {
    const query = eventQuery(this.#db, actor, filters)
    const entries = new FoldedEntries(page, limit)
    const fold = (seqs: number[]) =>
      traitsOf(this.#db, seqs).every((event) => entries.add(event)) ? ('more' as const) : ('enough' as const)
    const found = query.match && (await this.#searches.cached(query, signal))?.seqs
    if (found) await beginSteps(this.#foldFound(found, fold), (rest) => inSteps(signal, rest))
    else await this.#searches.walk(query, fold, signal, eventsFoldedAtOnce)
    const ofEvent = new Map(entries.page.map((entry) => [entry.newest.seq, entry]))
    const data = await beginSteps(
      mapEvents(this.#db, [...ofEvent.keys()], (event) => entryView(event, ofEvent.get(event.seq))),
      (rest) => inSteps(signal, rest),
    )
    return { data, pagination: { page, limit, eventsBefore: entries.eventsBefore, isLast: entries.isLast } }
  }

  *#foldFound(found: number[], fold: (seqs: number[]) => 'more' | 'enough'): Steps<void> {
    const seqs = this.#pageOf(found, found.length, 0)
    for (let at = 0; at < seqs.length; at += eventsFoldedAtOnce) {
      if (fold(seqs.slice(at, at + eventsFoldedAtOnce)) === 'enough') return
      yield
    }
  }

  /** @throws AppError `audit_event_not_found`; `site_access_denied` for an event of a device out of the caller's reach */
  read(actor: UserActor, id: string): EventRow {
    const event = findEvent(this.#db, id)
    if (!event || !reachesEvent(actor, event)) throw new AppError('audit_event_not_found')
    if (event.actor_type === 'agent' && !this.#seesDevice(actor, event.actor_id))
      throw new AppError('site_access_denied')
    return event
  }

  /** Null where the total is neither cached nor asked for. */
  async #count(actor: UserActor, filters: Filters, query: EventQuery, skipCount: boolean, signal: AbortSignal) {
    const isUnfiltered = !query.match && filters.from === undefined && filters.to === undefined
    if (isUnfiltered) return skipCount ? null : { total: this.#countAll(actor, filters.orgId), seqs: null }
    const cached = await this.#searches.cached(query, signal)
    return cached ?? (skipCount ? null : this.#searches.searchAll(query, signal))
  }

  /** From the lengths of the chains, without counting events. */
  #countAll(actor: UserActor, orgId: string | undefined): number {
    const lengths = q
      .selectFrom('audit_chains')
      .select(({ fn }) => fn.sum<number | null>('length').as('total'))
      .where(orgId === undefined ? isVisibleTo(actor) : sql<boolean>`org_id = ${orgId}`)
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

  /** False for a device that was deleted, because its site and groups are no longer known. */
  #seesDevice(actor: UserActor, id: string): boolean {
    if (actor.sites === null && actor.groups === null) return true
    const device = q.selectFrom('devices').select('id').where('id', '=', id).where(withinReach(actor, 'devices'))
    return this.#db.first(device) !== undefined
  }
}
