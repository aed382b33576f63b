import type { DeviceAttention, ListedDevice, listDevices } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Condition } from './condition.ts'
import {
  commonMatches,
  type DeviceQuery,
  devicesInNeed,
  filteredDevices,
  inOrder,
  type Page,
  type Slice,
  seqsInOrder,
} from './device-query.ts'
import { type Filters, type ListQuery, orgIdsOf, siteIdsOf } from './filter.ts'
import { groupNamesOf } from './group-names.ts'
import { pageInSlices } from './page-scan.ts'
import { decodeCursor, encodeCursor, type Order, sortKeys } from './position.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import type { DeviceSearch } from './search.ts'
import { spellingsOf } from './search-text.ts'
import type { DeviceTotals } from './totals.ts'
import { deviceView } from './views.ts'

const selectRows = deviceRows().compile().sql

const everything: Slice = { limit: Number.MAX_SAFE_INTEGER, offset: 0, from: null }

type Listed = ReplyOf<typeof listDevices>

/**
 * The most frequent list, so its SQL is written out: building it would cost more than running it. It names its indexes,
 * because which one is right depends on how many rows match, and that is known here.
 */
export class DeviceList {
  readonly #db: Database
  readonly #clock: Clock
  readonly #search: DeviceSearch
  readonly #totals: DeviceTotals

  constructor(db: Database, clock: Clock, search: DeviceSearch, totals: DeviceTotals) {
    this.#db = db
    this.#clock = clock
    this.#search = search
    this.#totals = totals
  }

  list(actor: UserActor, filters: ListQuery): Steps<Listed> {
    assertReachable(actor, filters)
    return filters.page !== undefined && !filters.cursor
      ? this.#byPage(actor, filters, filters.page)
      : this.#byCursor(actor, filters)
  }

  *#byPage(actor: UserActor, filters: ListQuery, page: number): Steps<Listed> {
    const { limit, sort: by = 'lastSeen', sortDir: dir = by === 'hostname' ? 'asc' : 'desc' } = filters
    const order: Order = { by, dir }
    const { seqs, total } = yield* this.#page(actor, filters, order, { limit, offset: (page - 1) * limit, from: null })
    return { data: yield* this.#rows(actor, seqs, order), pagination: { page, limit, total } }
  }

  *#byCursor(actor: UserActor, filters: ListQuery): Steps<Listed> {
    const { limit, sort: by = 'hostname', sortDir: dir = 'asc' } = filters
    const order: Order = { by, dir }
    const from = filters.cursor ? decodeCursor(filters.cursor, order) : null
    const { seqs, total } = yield* this.#page(actor, filters, order, { limit: limit + 1, offset: 0, from })
    const rows = yield* this.#rows(actor, seqs, order)
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
    const { attention } = filters
    const wanted = this.#wanted(actor, filters)
    if (filters.search) return yield* this.#search.page(wanted, spellingsOf(filters.search), order, slice)
    if (attention && this.#totals.upTo(wanted, commonMatches) === commonMatches)
      return yield* this.#totals.inSlices(wanted, order, slice)
    const total = this.#totals.all(wanted)
    const index = total > commonMatches ? (`INDEXED BY ${sortKeys[order.by].index}` as const) : wanted.index
    return { total, seqs: seqsInOrder(this.#db, { ...wanted, index }, order, slice) }
  }

  /** How many devices need attention for a reason; at most `limit`, because nobody counts further. */
  countAttention(actor: UserActor, attention: DeviceAttention, orgId: string | undefined, limit: number): number {
    const filters = orgId ? { orgId } : {}
    assertReachable(actor, filters)
    return this.#totals.upTo(devicesInNeed(filteredDevices(actor, filters), attention, this.#clock.now()), limit)
  }

  /** The first device by name that needs attention for a reason. @throws AppError for an organization out of reach */
  firstInNeed(actor: UserActor, attention: DeviceAttention, orgId: string | undefined) {
    const filters = orgId ? { orgId, attention } : { attention }
    assertReachable(actor, filters)
    return this.#first(this.#wanted(actor, filters))
  }

  /** The first device by name that has a status of few devices. @throws AppError for an organization out of reach */
  firstWith(actor: UserActor, status: 'quarantined', orgId: string | undefined) {
    const filters = orgId ? { orgId, status } : { status }
    assertReachable(actor, filters)
    return this.#first({ ...this.#wanted(actor, filters), index: 'INDEXED BY devices_status' })
  }

  #first(wanted: DeviceQuery): { id: string; name: string } | null {
    const order: Order = { by: 'hostname', dir: 'asc' }
    const [row] = this.#read(seqsInOrder(this.#db, wanted, order, { limit: 1, offset: 0, from: null }), order)
    return row ? { id: row.id, name: row.display_name ?? row.hostname } : null
  }

  /** The `seq` of all devices of these filters, in order. @throws AppError for a filter out of reach, at once */
  seqs(actor: UserActor, filters: Filters, order: Order): Steps<readonly number[]> {
    assertReachable(actor, filters)
    return this.#allSeqs(actor, filters, order)
  }

  *#allSeqs(actor: UserActor, filters: Filters, order: Order): Steps<readonly number[]> {
    const wanted = this.#wanted(actor, filters)
    // To sort many of them at once would take too long.
    if (!filters.search && this.#totals.upTo(wanted, commonMatches) === commonMatches)
      return yield* pageInSlices(this.#db, wanted, order, everything)
    return (yield* this.#page(actor, filters, order, everything)).seqs
  }

  #wanted(actor: UserActor, filters: Filters): DeviceQuery {
    const all = filteredDevices(actor, filters)
    return filters.attention ? devicesInNeed(all, filters.attention, this.#clock.now()) : all
  }

  /** Few devices, in order, without those out of reach. */
  read(actor: UserActor, seqs: readonly number[], order: Order): ListedDevice[] {
    const { sql, parameters } = withinReach(actor, 'devices').compile(q)
    const groupNames = groupNamesOf(this.#db, actor, seqs)
    return this.#read(seqs, order, { sql, parameters }).map((row) => listedView(row, groupNames))
  }

  #rows(actor: UserActor, seqs: readonly number[], order: Order): Steps<ListedDevice[]> {
    const groupNames = groupNamesOf(this.#db, actor, seqs)
    return shownInSteps(
      seqs,
      (some) => this.#read(some, order),
      (row) => listedView(row, groupNames),
    )
  }

  #read(seqs: readonly number[], order: Order, also: Condition = { sql: '1', parameters: [] }): DeviceListRow[] {
    return this.#db
      .statement<DeviceListRow>(
        `${selectRows} WHERE devices.seq IN (SELECT value FROM json_each(?)) AND ${also.sql} ${inOrder(order)}`,
      )
      .all(JSON.stringify(seqs), ...also.parameters)
  }
}

const noGroups: string[] = []

const listedView = (row: DeviceListRow, groupNames: ReadonlyMap<string, string[]>): ListedDevice =>
  Object.assign(deviceView(row), { groupNames: groupNames.get(row.id) ?? noGroups })

function assertReachable(actor: UserActor, filters: Filters): void {
  for (const id of orgIdsOf(filters)) if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  for (const id of siteIdsOf(filters)) if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
}
