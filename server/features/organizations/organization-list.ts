import { type RawBuilder, sql } from 'kysely'
import type { listOrganizations, listOrganizationTree } from '../../../shared/api/organizations.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { byName } from '../../db/by-name.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { isIndexed } from '../../db/like.ts'
import { hiddenInSql, isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { countInSlices } from '../../db/slices.ts'
import { withinReach } from '../../db/tenancy.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { isGrantedTo } from '../organization-access/index.ts'
import { Names, nameContains, nameContainsByIndex } from './names.ts'
import { organizationView } from './views.ts'

type Condition = RawBuilder<boolean>

/** What a list is about. */
interface OrganizationQuery {
  actor: UserActor
  /** Null for those of every partner. */
  partnerId: string | null
  search: string | undefined
}

/**
 * Lists of organizations. Which index is right depends on how many rows match, and that is known here: so the statement
 * names it.
 */
export class OrganizationList {
  readonly #db: Database
  readonly #totals: CountCache
  readonly #names: Names

  constructor(db: Database) {
    this.#db = db
    this.#totals = new CountCache(db, ['organizations'])
    this.#names = new Names(db, this.#totals)
  }

  /** Every visible organization by name. */
  *byName(actor: UserActor): Steps<ReplyOf<typeof listOrganizationTree>> {
    const visible = q.selectFrom('organizations').where(withinReach(actor, 'organizations')).where(isShown())
    const ids = this.#db.all(visible.select('id').orderBy(byName('name')).orderBy('id'))
    return { data: yield* this.#views(ids.map(({ id }) => id)) }
  }

  /** In the preferred order of the partner, where there is only one. */
  *page(
    actor: UserActor,
    { page, limit, partnerId, search, includeArchived }: QueryOf<typeof listOrganizations>,
  ): Steps<ReplyOf<typeof listOrganizations>> {
    const wanted: OrganizationQuery = {
      actor,
      partnerId: actor.scope === 'system' ? (partnerId ?? null) : actor.partnerId,
      search: search || undefined,
    }
    const total = yield* this.#total(wanted)
    const offset = (page - 1) * limit
    const shown = yield* this.#views(offset < total ? yield* this.#shown(wanted, limit, offset) : [])
    const pagination = { page, limit, total }
    const isLast = page >= Math.max(1, Math.ceil(total / limit))
    if (includeArchived !== 'true' || !isLast) return { data: shown, pagination }
    const archived = yield* this.#views(this.#archived(wanted, limit + 1))
    return {
      data: [...shown, ...archived.slice(0, limit)],
      pagination,
      archivedTruncated: archived.length > limit,
    }
  }

  *#shown(wanted: OrganizationQuery, limit: number, offset: number): Steps<string[]> {
    const { actor, partnerId, search } = wanted
    const conditions = [withinReach(actor, 'organizations'), isShown(), ...ofPartner(partnerId)]
    const page = sql`order by ${orderOf(partnerId)} limit ${limit} offset ${offset}`
    const select = (index: RawBuilder<unknown>, ...matching: Condition[]) =>
      this.#ids(sql`select id from organizations ${index} where ${allOf([...conditions, ...matching])} ${page}`)
    // Few are seen, or few match: those are found and sorted. Otherwise the order is walked until the page is full.
    if (actor.orgs.of === 'only') return select(sql``, ...(search ? [nameContains(search)] : []))
    if (search && this.#names.areFew(search))
      return select(sql`indexed by organizations_seq`, nameContainsByIndex(search))
    if (!search) return select(inOrder(partnerId))
    return yield* this.#inSlices(wanted, allOf([...conditions, nameContains(search)]), limit, offset)
  }

  /** Looks at so many names in the order of the list at a time, until the page is full. */
  *#inSlices(
    { partnerId }: OrganizationQuery,
    fits: RawBuilder<unknown>,
    limit: number,
    offset: number,
  ): Steps<string[]> {
    const ids: string[] = []
    let matching = 0
    for (let last: ScannedRow | undefined | null = null; last !== undefined && ids.length < limit; ) {
      const behind = last && sql<boolean>`(${orderOf(partnerId)}) > (${placeOf(partnerId, last)})`
      const { sql: select, parameters } = sql`select id, display_order, created_at, (${fits}) as fits
        from organizations ${inOrder(partnerId)} where ${allOf([...ofPartner(partnerId), ...(behind ? [behind] : [])])}
        order by ${orderOf(partnerId)} limit ${scannedPerStep}`.compile(q)
      const some: ScannedRow[] = this.#db.statement<ScannedRow>(select).all(parameters)
      for (const { id, fits } of some) if (fits && ++matching > offset && ids.length < limit) ids.push(id)
      last = some.length < scannedPerStep ? undefined : some.at(-1)
      yield
    }
    return ids
  }

  /** Those that were granted, newest first; they are outside of everybody's reach. */
  #archived({ actor, partnerId, search }: OrganizationQuery, limit: number): string[] {
    const conditions = [
      sql<boolean>`status = 'archived'`,
      sql<boolean>`deleted_at is null`,
      isGrantedTo(actor),
      ...ofPartner(partnerId),
      ...(search ? [nameContains(search)] : []),
    ]
    return this.#ids(
      sql`select id from organizations indexed by organizations_archived where ${allOf(conditions)}
        order by archived_at desc, id limit ${limit}`,
    )
  }

  /**
   * Looking at each row to see whether it is hidden takes far longer than counting all of them and those few that are;
   * only a selection is counted row by row.
   */
  *#total(wanted: OrganizationQuery): Steps<number> {
    const { actor, search } = wanted
    // With a single partner on the appliance, all organizations are its own.
    const partnerId = actor.scope === 'system' ? wanted.partnerId : (actor.orgs.within?.partnerId ?? null)
    const matching = search ? [nameContains(search)] : []
    if (actor.orgs.of === 'only')
      return this.#count(sql`organizations`, [withinReach(actor, 'organizations'), isShown(), ...matching])
    const hidden = this.#count(sql`organizations indexed by organizations_hidden`, [
      sql.raw(hiddenInSql),
      ...ofPartner(partnerId),
      ...matching,
    ])
    if (!search) return this.#count(sql`organizations`, ofPartner(partnerId)) - hidden
    if (partnerId === null && isIndexed(search)) return (yield* this.#names.count(search)) - hidden
    if (this.#names.areFew(search))
      return this.#count(sql`organizations`, [...ofPartner(partnerId), nameContainsByIndex(search)]) - hidden
    const all = allOf([...ofPartner(partnerId), nameContains(search)]).compile(q)
    const counting = { ...all, sql: `names: ${all.sql}` }
    return (yield* this.#totals.counted(counting, () => countInSlices(this.#db, 'organizations', all))) - hidden
  }

  #count(table: RawBuilder<unknown>, conditions: Condition[]): number {
    return this.#totals.total(sql`select count(*) as total from ${table} where ${allOf(conditions)}`.compile(q))
  }

  #ids(select: RawBuilder<unknown>): string[] {
    const { sql, parameters } = select.compile(q)
    return this.#db.statement<string>(sql).pluck().all(parameters)
  }

  /** Each of them may have settings of a hundred kilobytes. */
  #views(ids: readonly string[]): Steps<ReturnType<typeof organizationView>[]> {
    const read = this.#db.statement<OrganizationRow>(
      `SELECT organizations.* FROM json_each(?) AS wanted JOIN organizations ON organizations.id = wanted.value ORDER BY wanted.key`,
    )
    return shownInSteps(ids, (some) => read.all(JSON.stringify(some)), organizationView)
  }
}

/** Names searched in one step; that takes a millisecond or two however long they are. */
const scannedPerStep = 500

interface ScannedRow {
  id: string
  display_order: number
  created_at: string
  fits: number | null
}

const inOrder = (partnerId: string | null) =>
  partnerId === null ? sql`indexed by organizations_created` : sql`indexed by organizations_order`
const orderOf = (partnerId: string | null) =>
  partnerId === null ? sql`created_at, id` : sql`display_order, created_at, id`
const placeOf = (partnerId: string | null, { display_order, created_at, id }: ScannedRow) =>
  partnerId === null ? sql`${created_at}, ${id}` : sql`${display_order}, ${created_at}, ${id}`

const ofPartner = (partnerId: string | null): Condition[] =>
  partnerId === null ? [] : [sql<boolean>`partner_id = ${partnerId}`]

const allOf = (conditions: Condition[]) => (conditions.length === 0 ? sql`1` : sql.join(conditions, sql` and `))
