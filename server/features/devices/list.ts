import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import { deviceSort, type listDevices } from '../../../shared/api/devices.ts'
import type { QueryOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Tables } from '../../db/tables/index.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { type DeviceListRow, deviceRows } from './rows.ts'
import { deviceView } from './views.ts'

type Filters = QueryOf<typeof listDevices>
type Sort = z.infer<typeof deviceSort>
type Direction = 'asc' | 'desc'

const sortColumn = {
  hostname: sql<string>`devices.hostname collate nocase`,
  lastSeen: sql<string>`devices.last_seen_at`,
  enrolled: sql<string>`devices.enrolled_at`,
}
const cursorShape = z.object({
  v: z.literal(1),
  sort: deviceSort,
  sortDir: z.enum(['asc', 'desc']),
  k: z.string().nullable(),
  id: z.string(),
})

/** From how many matches on a search walks the sort order and tests each row, instead of sorting all matches. */
const commonMatches = 2000

export class DeviceList {
  readonly #db: Database
  readonly #totals: CountCache

  constructor(db: Database) {
    this.#db = db
    this.#totals = new CountCache(db, ['devices'])
  }

  list(actor: UserActor, filters: Filters) {
    this.#assertReachable(actor, filters)
    return filters.page !== undefined && !filters.cursor
      ? this.#byPage(actor, filters, filters.page)
      : this.#byCursor(actor, filters)
  }

  #byPage(actor: UserActor, filters: Filters, page: number) {
    const { limit, sort = 'lastSeen', sortDir = sort === 'hostname' ? 'asc' : 'desc' } = filters
    const rows = this.#db.all(
      ordered(this.#filtered(deviceRows(), actor, filters), sort, sortDir)
        .limit(limit)
        .offset((page - 1) * limit),
    )
    return { data: rows.map(deviceView), pagination: { page, limit, total: this.#total(actor, filters) } }
  }

  #byCursor(actor: UserActor, filters: Filters) {
    const { limit, sort = 'hostname', sortDir = 'asc' } = filters
    let query = ordered(this.#filtered(deviceRows(), actor, filters), sort, sortDir)
    if (filters.cursor) query = query.where(after(decodeCursor(filters.cursor, sort, sortDir)))
    const rows = this.#db.all(query.limit(limit + 1))
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      data: rows.slice(0, limit).map(deviceView),
      pagination: {
        nextCursor: last ? encodeCursor(last, sort, sortDir) : null,
        limit,
        ...(filters.includeTotal && { total: this.#total(actor, filters) }),
      },
      sort: { by: sort, dir: sortDir },
    }
  }

  #total(actor: UserActor, filters: Filters): number {
    const counted = q.selectFrom('devices').select((select) => select.fn.countAll<number>().as('total'))
    return this.#totals.total(this.#filtered(counted, actor, filters))
  }

  #filtered<Row>(
    query: SelectQueryBuilder<Tables, 'devices', Row>,
    actor: UserActor,
    filters: Filters,
  ): SelectQueryBuilder<Tables, 'devices', Row> {
    const orgIds = [...(filters.orgIds ?? []), ...(filters.orgId ? [filters.orgId] : [])]
    const siteIds = [...(filters.siteIds ?? []), ...(filters.siteId ? [filters.siteId] : [])]
    return query
      .where(withinReach(actor, 'devices'))
      .$if(orgIds.length > 0, (next) => next.where('devices.org_id', 'in', orgIds))
      .$if(siteIds.length > 0, (next) => next.where('devices.site_id', 'in', siteIds))
      .$if(filters.status !== undefined, (next) => next.where('devices.status', '=', filters.status ?? 'online'))
      .$if(filters.status === undefined && !filters.includeDecommissioned, (next) =>
        next.where('devices.status', '!=', 'decommissioned'),
      )
      .$if(filters.osType !== undefined, (next) => next.where('devices.os_type', '=', filters.osType ?? 'linux'))
      .$if(filters.role !== undefined, (next) => next.where('devices.device_role', '=', filters.role ?? 'unknown'))
      .$if(Boolean(filters.search), (next) => next.where(this.#matching(filters.search ?? '')))
  }

  #matching(text: string) {
    if ([...text].length >= 3) {
      const phrase = `"${text.replaceAll('"', '""')}"`
      const { found } = this.#db
        .statement('SELECT count(*) AS found FROM (SELECT 1 FROM device_search WHERE device_search MATCH ? LIMIT ?)')
        .get(phrase, commonMatches) as { found: number }
      if (found < commonMatches)
        return sql<boolean>`devices.seq in (select rowid from device_search where device_search match ${phrase})`
    }
    const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    return sql<boolean>`(devices.hostname like ${pattern} escape '\\' or devices.display_name like ${pattern} escape '\\')`
  }

  #assertReachable(actor: UserActor, { orgId, orgIds, siteId, siteIds }: Filters): void {
    for (const id of [...(orgId ? [orgId] : []), ...(orgIds ?? [])])
      if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
    for (const id of [...(siteId ? [siteId] : []), ...(siteIds ?? [])])
      if (!reachesSite(actor, id)) throw new AppError('site_access_denied')
  }
}

const ordered = <Row>(query: SelectQueryBuilder<Tables, 'devices', Row>, sort: Sort, dir: Direction) =>
  query.orderBy(sortColumn[sort], dir).orderBy('devices.id')

interface Position {
  sort: Sort
  sortDir: Direction
  k: string | null
  id: string
}

/** Rows behind the position. Nulls come first ascending, as SQLite sorts them. */
function after({ sort, sortDir, k, id }: Position) {
  const column = sortColumn[sort]
  return (where: ExpressionBuilder<Tables, 'devices'>) => {
    const sameKey = where.and([
      k === null ? sql<boolean>`${column} is null` : sql<boolean>`${column} = ${k}`,
      where('devices.id', '>', id),
    ])
    if (k === null) return sortDir === 'asc' ? where.or([sameKey, sql<boolean>`${column} is not null`]) : sameKey
    return sortDir === 'asc'
      ? where.or([sameKey, sql<boolean>`${column} > ${k}`])
      : where.or([sameKey, sql<boolean>`${column} < ${k}`, sql<boolean>`${column} is null`])
  }
}

const keyOf = (row: DeviceListRow, sort: Sort): string | null =>
  ({ hostname: row.hostname, lastSeen: row.last_seen_at, enrolled: row.enrolled_at })[sort]

const encodeCursor = (row: DeviceListRow, sort: Sort, sortDir: Direction): string =>
  Buffer.from(JSON.stringify({ v: 1, sort, sortDir, k: keyOf(row, sort), id: row.id })).toString('base64url')

function decodeCursor(text: string, sort: Sort, sortDir: Direction): Position {
  try {
    const cursor = cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    if (cursor.sort !== sort || cursor.sortDir !== sortDir) throw new Error('another order')
    return cursor
  } catch (error) {
    throw new AppError('invalid_cursor', {}, { cause: error })
  }
}
