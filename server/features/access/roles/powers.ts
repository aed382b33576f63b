import { sql } from 'kysely'
import { allPermissions, covers, type Grant, grantName } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Identity } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { findGrants, type Role } from '../users/store.ts'
import { rolesGiving, withHeirs } from './inheritance.ts'

/** What somebody may hand on: nobody grants, inherits, assigns or mints what they do not hold (§15.3). */

type Holder = Pick<Identity, 'grants'>

const isWildcard = ({ resource, action }: Grant) => resource === '*' || action === '*'
export const isEverything = ({ resource, action }: Grant): boolean => resource === '*' && action === '*'

/** 403 `permission_not_held` that names the first one missing. */
export function assertHolds(holder: Holder, wanted: readonly Grant[]): void {
  const missing = wanted.find((grant) => !holds(holder, [grant]))
  if (missing) throw new AppError('permission_not_held', { requiredPermission: grantName(missing) })
}

export const holds = ({ grants }: Holder, wanted: readonly Grant[]): boolean =>
  wanted.every((grant) => grants.some((held) => covers(held, grant)))

const isKnown = (grant: Grant): boolean => (allPermissions as readonly string[]).includes(grantName(grant))

/** The first that nobody could put into a custom role, or that the holder does not hold; undefined where they may hand on all. */
export const firstBeyond = (holder: Holder, wanted: readonly Grant[]): Grant | undefined =>
  wanted.find((grant) => isWildcard(grant) || !isKnown(grant) || !holds(holder, [grant]))

/** For the permissions of a custom role: 403 for a wildcard, for one that does not exist and for one not held. */
export function assertGrantable(holder: Holder, wanted: readonly Grant[]): void {
  if (wanted.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  const unknown = wanted.find((grant) => !isKnown(grant))
  if (unknown) throw new AppError('permission_unknown', { permission: grantName(unknown) })
  assertHolds(holder, wanted)
}

/** To give a role to somebody is to give all that it and the roles above it permit. */
export function assertAssignable(db: Database, holder: Holder, role: Pick<Role, 'id' | 'is_system'>): void {
  const grants = findGrants(db, role.id)
  if (!role.is_system && grants.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  assertHolds(holder, grants)
}

/** As `assertAssignable`, told of any number of roles at once. */
export function assignableBy(db: Database, holder: Holder): (role: Pick<Role, 'id' | 'is_system'>) => boolean {
  const [beyond, wild] = [rolesGiving(db, (grant) => !holds(holder, [grant])), rolesGiving(db, isWildcard)]
  return ({ id, is_system }) => !beyond.has(id) && (is_system === 1 || !wild.has(id))
}

/** Sites and groups are null where they confine nobody. */
export interface Confinement {
  siteIds: readonly string[] | null
  deviceGroupIds: readonly string[] | null
}

type Confined = Pick<Identity, 'sites' | 'groups'>

/** Whoever is confined to sites or groups confines others at least as much: else 403 `reach_wider_than_own`. */
export function assertWithinOwnReach(actor: Confined, wanted: Confinement): void {
  if (!isWithinOwnReach(actor, wanted)) throw new AppError('reach_wider_than_own')
}

export function isWithinOwnReach({ sites, groups }: Confined, { siteIds, deviceGroupIds }: Confinement): boolean {
  const isWithin = (own: ReadonlySet<string> | null, wanted: readonly string[] | null) =>
    own === null || wanted?.every((id) => own.has(id)) === true
  return isWithin(sites, siteIds) && isWithin(groups, deviceGroupIds)
}

/**
 * To permit more to a role is to permit it to all who have it, or one that inherits from it: somebody confined can not,
 * where one of them is confined to less.
 */
export function assertHoldersWithinOwnReach(db: Database, actor: Confined, roleId: string): void {
  if (actor.sites === null && actor.groups === null) return
  const isConcerned = sql<boolean>`role_id in (select value from json_each(${JSON.stringify(withHeirs(db, roleId))}))`
  const reach = ['site_ids', 'device_group_ids'] as const
  const holders = db.all(
    q
      .selectFrom('organization_users')
      .select(reach)
      .where(isConcerned)
      .unionAll(q.selectFrom('invitations').select(reach).where(isConcerned)),
  )
  for (const { site_ids, device_group_ids } of holders)
    assertWithinOwnReach(actor, { siteIds: idsIn(site_ids), deviceGroupIds: idsIn(device_group_ids) })
}

/** What confines somebody, as it is stored. */
export const idsIn = (list: string | null): string[] | null => (list === null ? null : (JSON.parse(list) as string[]))

/** Of those who may do everything in a company, everywhere in it, and can sign in: two, where there are so many. */
export function fullAdminsOf(db: Database, partnerId: string): string[] {
  const everywhere = q.selectFrom('partner_users').where('partner_id', '=', partnerId).where('org_access', '=', 'all')
  const roleIds = db.all(everywhere.select('role_id').distinct()).map(({ role_id }) => role_id)
  const full = roleIds.filter((id) => findGrants(db, id).some(isEverything))
  const admins = everywhere
    .innerJoin('users', 'users.id', 'partner_users.user_id')
    .select('user_id')
    .where('role_id', 'in', full)
    .where('users.status', '=', 'active')
    .limit(2)
  return db.all(admins).map(({ user_id }) => user_id)
}

/** A company whose last full administrator is gone could be managed by nobody: 409 `last_admin`. Before the change. */
export function assertNotLastAdmin(db: Database, member: { partner_id: string; user_id: string }): void {
  const admins = fullAdminsOf(db, member.partner_id)
  if (admins.length === 1 && admins[0] === member.user_id) throw new AppError('last_admin')
}
