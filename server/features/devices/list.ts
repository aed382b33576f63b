import type { DeviceAttention, DeviceRow, listDevices } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { isIndexed, trigramsOf } from '../../db/like.ts'
import { countInSlices } from '../../db/slices.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { attentionIndexes } from './attention.ts'
import type { Condition } from './condition.ts'
import { allOf, contains, containsByIndex, type Filters, filterOf, orgIdsOf, siteIdsOf } from './filter.ts'
import { pageInSlices } from './page-scan.ts'
import { after, decodeCursor, encodeCursor, type ListPosition, type Order, sortKeys } from './position.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import { deviceView } from './views.ts'

/** From how many matches on a list walks the sort order and tests each row, instead of sorting all matches. */
const commonMatches = 2000
const selectRows = deviceRows().compile().sql

type Listed = ReplyOf<typeof listDevices>

/** What a list is about, and the index that finds it without regard to the order. */
interface DeviceQuery extends Condition {
  index: '' | 'NOT INDEXED' | `INDEXED BY ${string}`
  /** It looks at so many names that others get their turn in between. */
  isLong: boolean
}

/**
 * The most frequent list, so its SQL is written out: building it would cost more than running it. It names its indexes,
 * because which one is right depends on how many rows match, and that is known here.
 */
export class DeviceList {
  readonly #db: Database
  readonly #clock: Clock
  readonly #totals: CountCache

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#totals = new CountCache(db, ['devices', 'device_group_members', 'device_commands'])
  }

  list(actor: UserActor, filters: Filters): Steps<Listed> {
    assertReachable(actor, filters)
    return filters.page !== undefined && !filters.cursor
      ? this.#byPage(actor, filters, filters.page)
      : this.#byCursor(actor, filters)
  }

  *#byPage(actor: UserActor, filters: Filters, page: number): Steps<Listed> {
    const { limit, sort: by = 'lastSeen', sortDir: dir = by === 'hostname' ? 'asc' : 'desc' } = filters
    const wanted = this.#wanted(actor, filters)
    const total = yield* this.#total(wanted)
    const data = yield* this.#rows(wanted, total, { by, dir }, limit, (page - 1) * limit)
    return { data, pagination: { page, limit, total } }
  }

  *#byCursor(actor: UserActor, filters: Filters): Steps<Listed> {
    const { limit, sort: by = 'hostname', sortDir: dir = 'asc' } = filters
    const order: Order = { by, dir }
    const from = filters.cursor ? decodeCursor(filters.cursor, order) : null
    const wanted = this.#wanted(actor, filters)
    const total = yield* this.#total(wanted)
    const rows = yield* this.#rows(wanted, total, order, limit + 1, 0, from)
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

  /** Finds the page first and joins the rest to its rows only, so that what is skipped costs little. */
  *#rows(
    wanted: DeviceQuery,
    total: number,
    order: Order,
    limit: number,
    offset: number,
    from: ListPosition | null = null,
  ): Steps<DeviceRow[]> {
    const seqs = wanted.isLong
      ? yield* pageInSlices(this.#db, wanted, order, limit, offset, from)
      : this.#page(wanted, total, order, limit, offset, from)
    return yield* shownInSteps(seqs, (some) => this.#read(some, order), deviceView)
  }

  #page(
    wanted: DeviceQuery,
    total: number,
    order: Order,
    limit: number,
    offset: number,
    from: ListPosition | null,
  ): number[] {
    const index = total > commonMatches ? `INDEXED BY ${sortKeys[order.by].index}` : wanted.index
    const { sql, parameters } = from ? allOf([wanted, after(from, order)]) : wanted
    return this.#db
      .statement<number>(`SELECT seq FROM devices ${index} WHERE ${sql} ${inOrder(order)} LIMIT +? OFFSET +?`)
      .pluck()
      .all([...parameters, limit, offset])
  }

  #read(seqs: readonly number[], order: Order): DeviceListRow[] {
    return this.#db
      .statement<DeviceListRow>(`${selectRows} WHERE devices.seq IN (SELECT value FROM json_each(?)) ${inOrder(order)}`)
      .all(JSON.stringify(seqs))
  }

  /** How many devices need attention for a reason; at most `limit`, because nobody counts further. */
  countAttention(actor: UserActor, attention: DeviceAttention, orgId: string | undefined, limit: number): number {
    const filters = { attention, limit, ...(orgId && { orgId }) }
    assertReachable(actor, filters)
    const { sql, parameters } = allOf(filterOf(actor, filters, this.#clock.now()))
    const some = `SELECT 1 FROM devices ${attentionIndexes[attention]} WHERE ${sql} LIMIT +?`
    return this.#totals.total({ sql: `SELECT count(*) AS total FROM (${some})`, parameters: [...parameters, limit] })
  }

  *#total({ sql, parameters, index, isLong }: DeviceQuery): Steps<number> {
    const counting = { sql: `SELECT count(*) AS total FROM devices ${index} WHERE ${sql}`, parameters }
    if (!isLong) return this.#totals.total(counting)
    return yield* this.#totals.counted(counting, () => countInSlices(this.#db, 'devices', { sql, parameters }))
  }

  #wanted(actor: UserActor, filters: Filters): DeviceQuery {
    const { search, attention } = filters
    const conditions = filterOf(actor, filters, this.#clock.now())
    const ofSite = siteIdsOf(filters).length > 0
    const index = attention
      ? attentionIndexes[attention]
      : ofSite
        ? 'INDEXED BY devices_site'
        : 'INDEXED BY devices_org'
    const all: DeviceQuery = { ...allOf(conditions), index, isLong: false }
    if (!search) return attention ? { ...all, isLong: this.#areMany(all) } : all
    if (this.#isRare(search))
      return {
        ...allOf([...conditions, containsByIndex(search), contains(search)]),
        index: 'NOT INDEXED',
        isLong: false,
      }
    return { ...allOf([...conditions, contains(search)]), index, isLong: this.#areMany(all) }
  }

  #isRare(search: string): boolean {
    if (!isIndexed(search)) return false
    const sql = 'SELECT count(*) AS total FROM (SELECT 1 FROM device_search WHERE device_search MATCH ? LIMIT +?)'
    return this.#totals.total({ sql, parameters: [trigramsOf(search), commonMatches] }) < commonMatches
  }

  #areMany({ sql, parameters, index }: DeviceQuery): boolean {
    const first = `SELECT 1 FROM devices ${index} WHERE ${sql} LIMIT +?`
    const counting = { sql: `SELECT count(*) AS total FROM (${first})`, parameters: [...parameters, commonMatches] }
    return this.#totals.total(counting) === commonMatches
  }
}

const inOrder = ({ by, dir }: Order): string => `ORDER BY ${sortKeys[by].sql} ${dir}, devices.id`

function assertReachable(actor: UserActor, filters: Filters): void {
  for (const id of orgIdsOf(filters)) if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  for (const id of siteIdsOf(filters)) if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
}
