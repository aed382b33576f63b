import type { DeviceRow, listDevices } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import {
  commonMatches,
  dependsOn,
  filteredDevices,
  inOrder,
  type Page,
  type Slice,
  seqsInOrder,
} from './device-query.ts'
import { type Filters, orgIdsOf, siteIdsOf } from './filter.ts'
import { decodeCursor, encodeCursor, type Order, sortKeys } from './position.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import type { DeviceSearch } from './search.ts'
import { spellingsOf } from './search-text.ts'
import { deviceView } from './views.ts'

const selectRows = deviceRows().compile().sql

type Listed = ReplyOf<typeof listDevices>

/**
 * The most frequent list, so its SQL is written out: building it would cost more than running it. It names its indexes,
 * because which one is right depends on how many rows match, and that is known here.
 */
export class DeviceList {
  readonly #db: Database
  readonly #search: DeviceSearch
  readonly #totals: CountCache

  constructor(db: Database, search: DeviceSearch) {
    this.#db = db
    this.#search = search
    this.#totals = new CountCache(db, dependsOn)
  }

  list(actor: UserActor, filters: Filters): Steps<Listed> {
    assertReachable(actor, filters)
    return filters.page !== undefined && !filters.cursor
      ? this.#byPage(actor, filters, filters.page)
      : this.#byCursor(actor, filters)
  }

  *#byPage(actor: UserActor, filters: Filters, page: number): Steps<Listed> {
    const { limit, sort: by = 'lastSeen', sortDir: dir = by === 'hostname' ? 'asc' : 'desc' } = filters
    const order: Order = { by, dir }
    const { seqs, total } = yield* this.#page(actor, filters, order, { limit, offset: (page - 1) * limit, from: null })
    return { data: yield* this.#rows(seqs, order), pagination: { page, limit, total } }
  }

  *#byCursor(actor: UserActor, filters: Filters): Steps<Listed> {
    const { limit, sort: by = 'hostname', sortDir: dir = 'asc' } = filters
    const order: Order = { by, dir }
    const from = filters.cursor ? decodeCursor(filters.cursor, order) : null
    const { seqs, total } = yield* this.#page(actor, filters, order, { limit: limit + 1, offset: 0, from })
    const rows = yield* this.#rows(seqs, order)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      data: rows.slice(0, limit),
      pagination: {
        nextCursor: last ? encodeCursor(last, order) : null,
        limit,
        ...(filters.includeTotal && { total }),
      },
      sort: order,
    }
  }

  /** Finds the page first; the rest is joined to its rows only, so that what is skipped costs little. */
  *#page(actor: UserActor, filters: Filters, order: Order, slice: Slice): Steps<Page> {
    const wanted = filteredDevices(actor, filters)
    if (filters.search) return yield* this.#search.page(wanted, spellingsOf(filters.search), order, slice)
    const { sql, parameters } = wanted
    const counting = { sql: `SELECT count(*) AS total FROM devices ${wanted.index} WHERE ${sql}`, parameters }
    const total = this.#totals.total(counting)
    const index = total > commonMatches ? (`INDEXED BY ${sortKeys[order.by].index}` as const) : wanted.index
    return { total, seqs: seqsInOrder(this.#db, { ...wanted, index }, order, slice) }
  }

  #rows(seqs: readonly number[], order: Order): Steps<DeviceRow[]> {
    return shownInSteps(seqs, (some) => this.#read(some, order), deviceView)
  }

  #read(seqs: readonly number[], order: Order): DeviceListRow[] {
    return this.#db
      .statement<DeviceListRow>(`${selectRows} WHERE devices.seq IN (SELECT value FROM json_each(?)) ${inOrder(order)}`)
      .all(JSON.stringify(seqs))
  }
}

function assertReachable(actor: UserActor, filters: Filters): void {
  for (const id of orgIdsOf(filters)) if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  for (const id of siteIdsOf(filters)) if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
}
