import { type RawBuilder, sql } from 'kysely'
import { rulesOf, type TableName } from '../tables.ts'
import type { OrgReach, Reach } from './reach.ts'
import type { TenancyRule } from './table.ts'

const always = sql<boolean>`1`
const listOf = (ids: Iterable<string>) => sql`(select value from json_each(${JSON.stringify([...ids])}))`

/**
 * The tenancy predicate of `table`, for a `where`; `alias` when the query names the table otherwise. SQLite has no
 * row-level security: "within what this actor reaches" is part of every query on tenant data, and only this writes it.
 */
export function withinReach(reach: Reach, table: TableName, alias: string = table): RawBuilder<boolean> {
  const rule = rulesOf(table).tenancy
  if (rule.by === 'none') throw new Error(`${table} has no tenancy: ${rule.because}`)
  if (rule.by === 'device') {
    if (isUnlimited(reach)) return always
    return sql<boolean>`exists (select 1 from devices where devices.id = ${sql.ref(`${alias}.${rule.device}`)} and ${withinReach(reach, 'devices')})`
  }
  const parts = [
    ...withinOrgs(reach.orgs, sql.ref(`${alias}.${rule.org}`)),
    ...withinPartner(reach.orgs, alias, rule),
    ...withinSitesOf(reach.sites, alias, rule),
    ...withinGroups(reach.groups, alias, rule),
  ]
  if (parts.length === 0) return always
  return sql<boolean>`(${sql.join(parts, sql` and `)})`
}

const isUnlimited = ({ orgs, sites, groups }: Reach) =>
  orgs.of === 'all-but' && orgs.ids.size === 0 && !orgs.within && sites === null && groups === null

function withinOrgs({ of, ids }: OrgReach, column: RawBuilder<unknown>) {
  if (of === 'only') return [sql`${column} in ${listOf(ids)}`]
  return ids.size === 0 ? [] : [sql`${column} not in ${listOf(ids)}`]
}

function withinPartner(orgs: OrgReach, alias: string, rule: Extract<TenancyRule, { by: 'organization' }>) {
  if (!rule.partner) return isOwnedWithin(orgs, sql.ref(`${alias}.${rule.org}`))
  return orgs.within ? [sql`${sql.ref(`${alias}.${rule.partner}`)} = ${orgs.within.partnerId}`] : []
}

/** Row by row, by their keys: a list of the partner's organizations would be made anew for every page. */
const isOwnedWithin = ({ within }: OrgReach, org: RawBuilder<unknown>) =>
  within
    ? [
        sql`exists (select 1 from organizations as owner where owner.id = ${org} and owner.partner_id = ${within.partnerId})`,
      ]
    : []

/** For a table whose rows are of an organization or of something else: the organization in `column` is within reach. */
export function isOrgWithin(orgs: OrgReach, column: RawBuilder<unknown>): RawBuilder<boolean> {
  const parts = [...withinOrgs(orgs, column), ...isOwnedWithin(orgs, column)]
  return parts.length === 0 ? always : sql<boolean>`(${sql.join(parts, sql` and `)})`
}

function withinSites(sites: Reach['sites'], column: RawBuilder<unknown>, isSeenWithoutSite = false) {
  if (sites === null) return []
  const inSites = sql`${column} in ${listOf(sites)}`
  return [isSeenWithoutSite ? sql`(${column} is null or ${inSites})` : inSites]
}

function withinSitesOf(sites: Reach['sites'], alias: string, rule: Extract<TenancyRule, { by: 'organization' }>) {
  if (rule.site) return withinSites(sites, sql.ref(`${alias}.${rule.site}`), rule.isSeenWithoutSite)
  if (sites === null || !rule.device) return []
  return [
    sql`exists (select 1 from devices as owner where owner.id = ${sql.ref(`${alias}.${rule.device}`)} and owner.site_id in ${listOf(sites)})`,
  ]
}

function withinGroups(groups: Reach['groups'], alias: string, rule: Extract<TenancyRule, { by: 'organization' }>) {
  if (groups === null) return []
  if (rule.isOfNoGroup) return [sql`0`]
  if (rule.group) return [sql`${sql.ref(`${alias}.${rule.group}`)} in ${listOf(groups)}`]
  if (!rule.device) return []
  return [
    sql`${sql.ref(`${alias}.${rule.device}`)} in (select device_id from device_group_members where group_id in ${listOf(groups)})`,
  ]
}
