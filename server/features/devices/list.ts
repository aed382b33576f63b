import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { isIndexed, phrase } from '../../db/like.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import {
  allOf,
  type Condition,
  containsByIndex,
  containsByLooking,
  type Filters,
  filterOf,
  orgIdsOf,
  siteIdsOf,
} from './filter.ts'
import { behind, encodeCursor, type Order, sortKeys } from './position.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import { deviceView } from './views.ts'

/** From how many matches on a list walks the sort order and tests each row, instead of sorting all matches. */
const commonMatches = 2000
const selectRows = deviceRows().compile().sql

/** What a list is about, and the index that finds it without regard to the order. */
interface Wanted extends Condition {
  index: 'NOT INDEXED' | `INDEXED BY ${string}`
}

/**
 * The list everybody looks at all day, so its SQL is written out: building it would cost more than running it. It
 * names its indexes, because which one is right depends on how many rows match, and that is known here.
 */
export class DeviceList {
  readonly #db: Database
  readonly #totals: CountCache

  constructor(db: Database) {
    this.#db = db
    this.#totals = new CountCache(db, ['devices', 'device_group_members'])
  }

  list(actor: UserActor, filters: Filters) {
    assertReachable(actor, filters)
    return filters.page !== undefined && !filters.cursor
      ? this.#byPage(actor, filters, filters.page)
      : this.#byCursor(actor, filters)
  }

  #byPage(actor: UserActor, filters: Filters, page: number) {
    const { limit, sort: by = 'lastSeen', sortDir: dir = by === 'hostname' ? 'asc' : 'desc' } = filters
    const wanted = this.#wanted(actor, filters)
    const total = this.#total(wanted)
    const rows = this.#rows(wanted, total, { by, dir }, limit, (page - 1) * limit)
    return { data: rows.map(deviceView), pagination: { page, limit, total } }
  }

  #byCursor(actor: UserActor, filters: Filters) {
    const { limit, sort: by = 'hostname', sortDir: dir = 'asc' } = filters
    const order: Order = { by, dir }
    const wanted = this.#wanted(actor, filters)
    const total = this.#total(wanted)
    const rows = this.#rows(wanted, total, order, limit + 1, 0, filters.cursor)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      data: rows.slice(0, limit).map(deviceView),
      pagination: {
        nextCursor: last ? encodeCursor(last, order) : null,
        limit,
        ...(filters.includeTotal && { total }),
      },
      sort: order,
    }
  }

  /** Finds the page first and joins the rest to its rows only, so that what is skipped costs little. */
  #rows(wanted: Wanted, total: number, order: Order, limit: number, offset: number, cursor?: string): DeviceListRow[] {
    const { sql: key, index } = sortKeys[order.by]
    const sorted = `ORDER BY ${key} ${order.dir}, devices.id`
    const from = total > commonMatches ? `INDEXED BY ${index}` : wanted.index
    const { sql, parameters } = cursor ? allOf([wanted, behind(cursor, order)]) : wanted
    const page = `SELECT seq FROM devices ${from} WHERE ${sql} ${sorted} LIMIT +? OFFSET +?`
    return this.#db
      .statement(`${selectRows} WHERE devices.seq IN (${page}) ${sorted}`)
      .all([...parameters, limit, offset]) as DeviceListRow[]
  }

  #total({ sql, parameters, index }: Wanted): number {
    return this.#totals.total({ sql: `SELECT count(*) AS total FROM devices ${index} WHERE ${sql}`, parameters })
  }

  #wanted(actor: UserActor, filters: Filters): Wanted {
    const { search } = filters
    const conditions = filterOf(actor, filters)
    const index = siteIdsOf(filters).length > 0 ? 'INDEXED BY devices_site' : 'INDEXED BY devices_org'
    if (!search) return { ...allOf(conditions), index }
    return this.#isRare(search)
      ? { ...allOf([...conditions, containsByIndex(search)]), index: 'NOT INDEXED' }
      : { ...allOf([...conditions, containsByLooking(search)]), index }
  }

  #isRare(search: string): boolean {
    if (!isIndexed(search)) return false
    const sql = 'SELECT count(*) AS total FROM (SELECT 1 FROM device_search WHERE device_search MATCH ? LIMIT +?)'
    return this.#totals.total({ sql, parameters: [phrase(search), commonMatches] }) < commonMatches
  }
}

function assertReachable(actor: UserActor, filters: Filters): void {
  for (const id of orgIdsOf(filters)) if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  for (const id of siteIdsOf(filters)) if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
}
