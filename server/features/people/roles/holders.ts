import { sql } from 'kysely'
import { sortedByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'

/** A company with all its organizations, or one organization. */
export type Place = { kind: 'partner'; partnerId: string } | { kind: 'organization'; orgId: string }

/** Who has which role by a membership in a place, or anywhere, or is invited to it; of some roles, or of any. */
function holdings(place: Place | null, roleIds?: readonly string[]) {
  const roles = sql<boolean>`role_id in (select value from json_each(${JSON.stringify(roleIds ?? [])}))`
  const ofPartner = q
    .selectFrom('partner_users')
    .select(['role_id', 'user_id'])
    .$if(place?.kind === 'partner', (query) => query.where(sql<boolean>`partner_id = ${idOf(place)}`))
    .$if(place?.kind === 'organization', (query) => query.where(sql<boolean>`0`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  const shown = sql<boolean>`org_id in (${shownOrganizations(place)})`
  const ofOrganizations = q
    .selectFrom('organization_users')
    .select(['role_id', 'user_id'])
    .$if(place?.kind === 'partner', (query) => query.where(shown))
    .$if(place?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(place)}`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  const invited = q
    .selectFrom('invitations')
    .select(['role_id', 'id as user_id'])
    .$if(place?.kind === 'partner', (query) =>
      query.where(sql<boolean>`partner_id = ${idOf(place)} and (org_id is null or ${shown})`),
    )
    .$if(place?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(place)}`))
    .$if(roleIds !== undefined, (query) => query.where(roles))
  return ofPartner.unionAll(ofOrganizations).unionAll(invited).as('holdings')
}

const shownOrganizations = (place: Place | null) =>
  sql`select id from organizations where organizations.partner_id = ${idOf(place)} and ${isShown()}`
const idOf = (place: Place | null) => (place?.kind === 'partner' ? place.partnerId : place?.orgId)

/** How many people have each role; a role that nobody has is not in it. */
export function countHolders(db: Database, place: Place | null, roleIds?: readonly string[]): Map<string, number> {
  const counts = db.all(
    q
      .selectFrom(holdings(place, roleIds))
      .select(({ fn }) => ['role_id', fn.count<number>('user_id').distinct().as('count')])
      .groupBy('role_id'),
  )
  return new Map(counts.map(({ role_id, count }) => [role_id, count]))
}

/** How many roles of a place, or of any, inherit directly from each; a role that none inherits from is not in it. */
export function countHeirs(db: Database, place: Place | null): Map<string, number> {
  const ofPartner = sql<boolean>`(partner_id = ${idOf(place)} or org_id in (${shownOrganizations(place)}))`
  const counts = db.all(
    q
      .selectFrom('roles')
      .select(({ fn }) => ['parent_role_id', fn.countAll<number>().as('count')])
      .where('parent_role_id', 'is not', null)
      .$if(place?.kind === 'partner', (query) => query.where(ofPartner))
      .$if(place?.kind === 'organization', (query) => query.where(sql<boolean>`org_id = ${idOf(place)}`))
      .groupBy('parent_role_id'),
  )
  return new Map(counts.map(({ parent_role_id, count }) => [parent_role_id as string, count]))
}

/** How many identity providers give each role to whom they bring; a role that none gives is not in it. */
export function countSsoProviders(db: Database, roleIds: readonly string[]): Map<string, number> {
  const counts = db.all(
    q
      .selectFrom('sso_providers')
      .select(({ fn }) => ['default_role_id', fn.countAll<number>().as('count')])
      .where(sql<boolean>`default_role_id in (select value from json_each(${JSON.stringify(roleIds)}))`)
      .groupBy('default_role_id'),
  )
  return new Map(counts.map(({ default_role_id, count }) => [default_role_id as string, count]))
}

/** The people who have a role or are invited to it, by name. */
export function listHolders(db: Database, place: Place | null, roleId: string) {
  const ids = q.selectFrom(holdings(place, [roleId])).select('user_id')
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

/** Whether somebody has this role, in whichever of their tenants. */
export const isHeldBy = (db: Database, roleId: string, userId: string): boolean =>
  db.first(
    q
      .selectFrom(holdings(null, [roleId]))
      .select('user_id')
      .where('user_id', '=', userId),
  ) !== undefined
