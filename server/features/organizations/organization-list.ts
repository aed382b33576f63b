import { type RawBuilder, sql } from 'kysely'
import type { listOrganizations } from '../../../shared/api/organizations.ts'
import type { QueryOf } from '../../../shared/endpoint.ts'
import { byName } from '../../db/by-name.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { hiddenInSql, isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { OrganizationRow } from '../standing/index.ts'
import { isGrantedTo } from '../standing/index.ts'
import { Names, nameContains, nameContainsByIndex } from './names.ts'
import { organizationView } from './views.ts'

type Condition = RawBuilder<boolean>

/** What a list is about. */
interface Wanted {
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
    this.#names = new Names(this.#totals)
  }

  /** Every visible organization by name. */
  byName(actor: UserActor) {
    const visible = q.selectFrom('organizations').where(withinReach(actor, 'organizations')).where(isShown())
    return this.#db.all(visible.selectAll().orderBy(byName('name')).orderBy('id')).map(organizationView)
  }

  /** In the preferred order of the partner, where there is only one. */
  page(actor: UserActor, { page, limit, partnerId, search, includeArchived }: QueryOf<typeof listOrganizations>) {
    const wanted: Wanted = {
      actor,
      partnerId: actor.scope === 'system' ? (partnerId ?? null) : actor.partnerId,
      search: search || undefined,
    }
    const total = this.#total(wanted)
    const offset = (page - 1) * limit
    const shown = (offset < total ? this.#shown(wanted, limit, offset) : []).map(organizationView)
    const pagination = { page, limit, total }
    const isLast = page >= Math.max(1, Math.ceil(total / limit))
    if (includeArchived !== 'true' || !isLast) return { data: shown, pagination }
    const archived = this.#archived(wanted, limit + 1).map(organizationView)
    return {
      data: [...shown, ...archived.slice(0, limit)],
      pagination,
      archivedTruncated: archived.length > limit,
    }
  }

  #shown(wanted: Wanted, limit: number, offset: number): OrganizationRow[] {
    const { actor, partnerId, search } = wanted
    const conditions = [withinReach(actor, 'organizations'), isShown(), ...ofPartner(partnerId)]
    const order = partnerId === null ? sql`created_at, id` : sql`display_order, created_at, id`
    const page = sql`order by ${order} limit ${limit} offset ${offset}`
    const select = (index: RawBuilder<unknown>, ...matching: Condition[]) =>
      this.#rows(sql`select * from organizations ${index} where ${allOf([...conditions, ...matching])} ${page}`)
    // Few are seen, or few match: those are found and sorted. Otherwise the order is walked until the page is full.
    if (actor.orgs.of === 'only') return select(sql``, ...(search ? [nameContains(search)] : []))
    if (search && this.#names.areFew(search))
      return select(sql`indexed by organizations_seq`, nameContainsByIndex(search))
    const inOrder = partnerId === null ? sql`indexed by organizations_created` : sql`indexed by organizations_order`
    return select(inOrder, ...(search ? [nameContains(search)] : []))
  }

  /** Those that were granted, newest first; they are outside of everybody's reach. */
  #archived({ actor, partnerId, search }: Wanted, limit: number): OrganizationRow[] {
    const conditions = [
      sql<boolean>`status = 'archived'`,
      sql<boolean>`deleted_at is null`,
      isGrantedTo(actor),
      ...ofPartner(partnerId),
      ...(search ? [nameContains(search)] : []),
    ]
    return this.#rows(
      sql`select * from organizations indexed by organizations_archived where ${allOf(conditions)}
        order by archived_at desc, id limit ${limit}`,
    )
  }

  /**
   * Looking at each row to see whether it is hidden takes far longer than counting all of them and those few that are;
   * only a selection is counted row by row.
   */
  #total(wanted: Wanted): number {
    const { actor, search } = wanted
    // Alone on the box, a partner has all there are.
    const partnerId = actor.scope === 'system' ? wanted.partnerId : (actor.orgs.within?.partnerId ?? null)
    const matching = search ? [nameContains(search)] : []
    if (actor.orgs.of === 'only')
      return this.#count(sql`organizations`, [withinReach(actor, 'organizations'), isShown(), ...matching])
    const hidden = this.#count(sql`organizations indexed by organizations_hidden`, [
      sql.raw(hiddenInSql),
      ...ofPartner(partnerId),
      ...matching,
    ])
    if (search && partnerId === null) return this.#names.count(search) - hidden
    return this.#count(sql`organizations`, [...ofPartner(partnerId), ...matching]) - hidden
  }

  #count(table: RawBuilder<unknown>, conditions: Condition[]): number {
    return this.#totals.total(sql`select count(*) as total from ${table} where ${allOf(conditions)}`.compile(q))
  }

  #rows(select: RawBuilder<unknown>): OrganizationRow[] {
    const { sql, parameters } = select.compile(q)
    return this.#db.statement(sql).all(parameters) as OrganizationRow[]
  }
}

const ofPartner = (partnerId: string | null): Condition[] =>
  partnerId === null ? [] : [sql<boolean>`partner_id = ${partnerId}`]

const allOf = (conditions: Condition[]) => (conditions.length === 0 ? sql`1` : sql.join(conditions, sql` and `))
