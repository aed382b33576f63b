import { sql } from 'kysely'
import { sortedByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { assertWithinOwnReach, type Confined, parseIdList, withDescendants } from '../../access/index.ts'

/** Where the holders of a role are counted: in a partner with all its organizations, or in one organization. */
export type RoleArea = { kind: 'partner'; partnerId: string } | { kind: 'organization'; orgId: string }

/** Pairs of role and user, or invitation, in an area (null: everywhere), of some roles or of all. */
function holdings(area: RoleArea | null, roleIds?: readonly string[]) {
  const roles = sql<boolean>`role_id in (select value from json_each(${JSON.stringify(roleIds ?? [])}))`
  const ofPartner = q
    .selectFrom('partner_users')
    .select(['role_id', 'user_id'])
    .$if(area?.kind === 'partner', (query) => query.where(sql<boolean>`partner_id = ${idOf(area)}`))
    .$if(area?.kind === 'organization', (query) => query.where(sql<boolean>`0`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  const shown = sql<boolean>`org_id in (${shownOrganizations(area)})`
  const ofOrganizations = q
    .selectFrom('organization_users')
    .select(['role_id', 'user_id'])
    .$if(area?.kind === 'partner', (query) => query.where(shown))
    .$if(area?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(area)}`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  const invited = q
    .selectFrom('invitations')
    .select(['role_id', 'id as user_id'])
    .$if(area?.kind === 'partner', (query) =>
      query.where(sql<boolean>`partner_id = ${idOf(area)} and (org_id is null or ${shown})`),
    )
    .$if(area?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(area)}`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  return ofPartner.unionAll(ofOrganizations).unionAll(invited).as('holdings')
}

const shownOrganizations = (area: RoleArea | null) =>
  sql`select id from organizations where organizations.partner_id = ${idOf(area)} and ${isShown()}`
const idOf = (area: RoleArea | null) => (area?.kind === 'partner' ? area.partnerId : area?.orgId)

/** How many users and invitations have each role; a role without any is missing. */
export function countHolders(db: Database, area: RoleArea | null, roleIds?: readonly string[]): Map<string, number> {
  const counts = db.all(
    q
      .selectFrom(holdings(area, roleIds))
      .select(({ fn }) => ['role_id', fn.count<number>('user_id').distinct().as('count')])
      .groupBy('role_id'),
  )
  return new Map(counts.map(({ role_id, count }) => [role_id, count]))
}

/** How many roles of an area (null: everywhere) have each role as parent; a role without children is missing. */
export function countChildRoles(db: Database, area: RoleArea | null): Map<string, number> {
  const ofPartner = sql<boolean>`(partner_id = ${idOf(area)} or org_id in (${shownOrganizations(area)}))`
  const counts = db.all(
    q
      .selectFrom('roles')
      .select(({ fn, ref }) => [ref('parent_role_id').$notNull().as('roleId'), fn.countAll<number>().as('count')])
      .where('parent_role_id', 'is not', null)
      .$if(area?.kind === 'partner', (query) => query.where(ofPartner))
      .$if(area?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(area)}`))
      .groupBy('parent_role_id'),
  )
  return new Map(counts.map(({ roleId, count }) => [roleId, count]))
}

/** How many identity providers give each role to users they create; a role that none gives is missing. */
export function countSsoProviders(db: Database, roleIds: readonly string[]): Map<string, number> {
  const counts = db.all(
    q
      .selectFrom('sso_providers')
      .select(({ fn, ref }) => [ref('default_role_id').$notNull().as('roleId'), fn.countAll<number>().as('count')])
      .where(sql<boolean>`default_role_id in (select value from json_each(${JSON.stringify(roleIds)}))`)
      .groupBy('default_role_id'),
  )
  return new Map(counts.map(({ roleId, count }) => [roleId, count]))
}

/** The users who have a role or are invited to it, by name. */
export function listHolders(db: Database, area: RoleArea | null, roleId: string) {
  const ids = q.selectFrom(holdings(area, [roleId])).select('user_id')
  const members = q
    .selectFrom('users')
    .select(['id', 'name', 'email', 'status', 'last_login_at as lastLoginAt'])
    .where('id', 'in', ids)
  const invited = db.all(q.selectFrom('invitations').select(['id', 'name', 'email']).where('id', 'in', ids))
  return sortedByName([
    ...db.all(members),
    ...invited.map((row) => ({ ...row, status: 'invited' as const, lastLoginAt: null })),
  ])
}

/** Whether a user has this role in any of their tenants. */
export const isHeldBy = (db: Database, roleId: string, userId: string): boolean =>
  db.first(
    q
      .selectFrom(holdings(null, [roleId]))
      .select('user_id')
      .where('user_id', '=', userId),
  ) !== undefined
/**
 * Granting a role more grants it to all its holders, and to those of the roles that inherit from it. A caller confined to
 * sites or groups may do that only if all these holders are confined at least as much.
 * @throws AppError `reach_wider_than_own`
 */
export function assertHoldersWithinOwnReach(db: Database, actor: Confined, roleId: string): void {
  if (actor.sites === null && actor.groups === null) return
  const isConcerned = sql<boolean>`role_id in (select value from json_each(${JSON.stringify(withDescendants(db, roleId))}))`
  const reach = ['site_ids', 'device_group_ids'] as const
  const holders = db.all(
    q
      .selectFrom('organization_users')
      .select(reach)
      .where(isConcerned)
      .unionAll(q.selectFrom('invitations').select(reach).where(isConcerned)),
  )
  for (const { site_ids, device_group_ids } of holders)
    assertWithinOwnReach(actor, { siteIds: parseIdList(site_ids), deviceGroupIds: parseIdList(device_group_ids) })
}
