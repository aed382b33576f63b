import type { DeviceRow, listDevices } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { AnswerCache } from '../../db/answer-cache.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { countInSlices } from '../../db/slices.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { allOf, type Condition, isAmong } from './condition.ts'
import { contains, type Filters, filterOf, orgIdsOf, siteIdsOf } from './filter.ts'
import { fittingInSlices, pageInSlices } from './page-scan.ts'
import { after, decodeCursor, encodeCursor, type ListPosition, type Order, sortKeys } from './position.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import { candidatesOf } from './search-text.ts'
import { deviceView } from './views.ts'

/** From how many matches on a list walks the sort order and tests each row, instead of sorting all matches. */
const commonMatches = 2000
const dependsOn = ['devices', 'device_search_texts', 'device_group_members'] as const
const maxSearches = 200
const selectRows = deviceRows().compile().sql

type Listed = ReplyOf<typeof listDevices>

/** What a list is about, and the index that finds it without regard to the order. */
interface DeviceQuery extends Condition {
  index: 'NOT INDEXED' | `INDEXED BY ${string}`
  /** Each row found is to be tested for the text. `areMany`: better in the order of the list, until the page is full. */
  searched?: { by: Condition; areMany: boolean }
}

interface Page {
  seqs: number[]
  total: number
}

/**
 * The most frequent list, so its SQL is written out: building it would cost more than running it. It names its indexes,
 * because which one is right depends on how many rows match, and that is known here.
 */
export class DeviceList {
  readonly #db: Database
  readonly #totals: CountCache
  /** Few devices that a search has found, by their `seq`. */
  readonly #found: AnswerCache<readonly number[]>

  constructor(db: Database) {
    this.#db = db
    this.#totals = new CountCache(db, dependsOn)
    this.#found = new AnswerCache(db, dependsOn, maxSearches)
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
    const { seqs, total } = yield* this.#page(this.#wanted(actor, filters), order, limit, (page - 1) * limit)
    return { data: yield* this.#rows(seqs, order), pagination: { page, limit, total } }
  }

  *#byCursor(actor: UserActor, filters: Filters): Steps<Listed> {
    const { limit, sort: by = 'hostname', sortDir: dir = 'asc' } = filters
    const order: Order = { by, dir }
    const from = filters.cursor ? decodeCursor(filters.cursor, order) : null
    const { seqs, total } = yield* this.#page(this.#wanted(actor, filters), order, limit + 1, 0, from)
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
  *#page(
    wanted: DeviceQuery,
    order: Order,
    limit: number,
    offset: number,
    from: ListPosition | null = null,
  ): Steps<Page> {
    const { searched } = wanted
    if (searched?.areMany) {
      const all = allOf([wanted, searched.by])
      const counted = { ...all, sql: `in slices: ${all.sql}` }
      const total = yield* this.#totals.counted(counted, () => countInSlices(this.#db, 'devices', all))
      return { total, seqs: yield* pageInSlices(this.#db, all, order, limit, offset, from) }
    }
    if (searched) {
      const fitting = yield* this.#fitting(wanted, searched.by)
      return {
        total: fitting.length,
        seqs: this.#sorted({ ...isAmong(fitting), index: 'NOT INDEXED' }, order, limit, offset, from),
      }
    }
    const total = this.#totals.total({
      sql: `SELECT count(*) AS total FROM devices ${wanted.index} WHERE ${wanted.sql}`,
      parameters: wanted.parameters,
    })
    const index = total > commonMatches ? (`INDEXED BY ${sortKeys[order.by].index}` as const) : wanted.index
    return { total, seqs: this.#sorted({ ...wanted, index }, order, limit, offset, from) }
  }

  #fitting({ sql, parameters, index }: DeviceQuery, by: Condition): Steps<readonly number[]> {
    const select = `SELECT seq FROM devices ${index} WHERE ${sql}`
    return this.#found.answered(allOf([{ sql: select, parameters }, by]), () =>
      fittingInSlices(this.#db, this.#db.statement<number>(select).pluck().all(parameters), by),
    )
  }

  #sorted(wanted: DeviceQuery, order: Order, limit: number, offset: number, from: ListPosition | null): number[] {
    const { sql, parameters } = from ? allOf([wanted, after(from, order)]) : wanted
    return this.#db
      .statement<number>(`SELECT seq FROM devices ${wanted.index} WHERE ${sql} ${inOrder(order)} LIMIT +? OFFSET +?`)
      .pluck()
      .all([...parameters, limit, offset])
  }

  #rows(seqs: readonly number[], order: Order): Steps<DeviceRow[]> {
    return shownInSteps(seqs, (some) => this.#read(some, order), deviceView)
  }

  #read(seqs: readonly number[], order: Order): DeviceListRow[] {
    return this.#db
      .statement<DeviceListRow>(`${selectRows} WHERE devices.seq IN (SELECT value FROM json_each(?)) ${inOrder(order)}`)
      .all(JSON.stringify(seqs))
  }

  #wanted(actor: UserActor, filters: Filters): DeviceQuery {
    const { search } = filters
    const conditions = filterOf(actor, filters)
    const index = siteIdsOf(filters).length > 0 ? 'INDEXED BY devices_site' : 'INDEXED BY devices_org'
    const all: DeviceQuery = { ...allOf(conditions), index }
    if (!search) return all
    const candidates = candidatesOf(search)
    const texts = candidates ? this.#countSome(candidates) : commonMatches
    const isRare = candidates !== null && texts < commonMatches
    const found: DeviceQuery = isRare ? { ...allOf([...conditions, hasOneOf(candidates)]), index: 'NOT INDEXED' } : all
    const rows = isRare ? texts : this.#countSome({ ...all, sql: `SELECT 1 FROM devices ${index} WHERE ${all.sql}` })
    return { ...found, searched: { by: contains(search), areMany: rows >= commonMatches } }
  }

  /** How many rows there are, counted no further than to what is common. */
  #countSome({ sql, parameters }: Condition): number {
    const counting = {
      sql: `SELECT count(*) AS total FROM (${sql} LIMIT +?)`,
      parameters: [...parameters, commonMatches],
    }
    return this.#totals.total(counting)
  }
}

const hasOneOf = (texts: Condition): Condition => ({
  ...texts,
  sql: `devices.seq IN (SELECT id / 4 FROM (${texts.sql}))`,
})

const inOrder = ({ by, dir }: Order): string => `ORDER BY ${sortKeys[by].sql} ${dir}, devices.id`

function assertReachable(actor: UserActor, filters: Filters): void {
  for (const id of orgIdsOf(filters)) if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  for (const id of siteIdsOf(filters)) if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
}
