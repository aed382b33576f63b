import { allPermissions, type Grant } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Identity } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { findGrants, type Role } from '../store.ts'

/** What somebody may hand on: nobody grants, inherits, assigns or mints what they do not hold (§15.3). */

type Holder = Pick<Identity, 'grants'>

const covers = (held: Grant, wanted: Grant): boolean =>
  (held.resource === '*' || held.resource === wanted.resource) && (held.action === '*' || held.action === wanted.action)

const nameOf = ({ resource, action }: Grant) => `${resource}:${action}`
const isWildcard = ({ resource, action }: Grant) => resource === '*' || action === '*'
export const isEverything = ({ resource, action }: Grant): boolean => resource === '*' && action === '*'

/** 403 `permission_not_held` that names the first one missing. */
export function assertHolds({ grants }: Holder, wanted: readonly Grant[]): void {
  const missing = wanted.find((grant) => !grants.some((held) => covers(held, grant)))
  if (missing) throw new AppError('permission_not_held', { requiredPermission: nameOf(missing) })
}

/** For the permissions of a custom role: 403 for a wildcard, for one that does not exist and for one not held. */
export function assertGrantable(holder: Holder, wanted: readonly Grant[]): void {
  if (wanted.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  const unknown = wanted.map(nameOf).find((name) => !(allPermissions as readonly string[]).includes(name))
  if (unknown !== undefined) throw new AppError('permission_unknown', { permission: unknown })
  assertHolds(holder, wanted)
}

/** To give a role to somebody is to give all that it and the roles above it permit. */
export function assertAssignable(db: Database, holder: Holder, role: Pick<Role, 'id' | 'is_system'>): void {
  const grants = findGrants(db, role.id)
  if (!role.is_system && grants.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  assertHolds(holder, grants)
}

/** Sites and groups are null where they confine nobody. */
export interface Confinement {
  siteIds: readonly string[] | null
  deviceGroupIds: readonly string[] | null
}

/** Whoever is confined to sites or groups confines others at least as much: else 403 `reach_wider_than_own`. */
export function assertWithinOwnReach(
  { sites, groups }: Pick<Identity, 'sites' | 'groups'>,
  { siteIds, deviceGroupIds }: Confinement,
): void {
  const isWithin = (own: ReadonlySet<string> | null, wanted: readonly string[] | null) =>
    own === null || wanted?.every((id) => own.has(id)) === true
  if (!isWithin(sites, siteIds) || !isWithin(groups, deviceGroupIds)) throw new AppError('reach_wider_than_own')
}

interface PartnerMember {
  partner_id: string
  user_id: string
  role_id: string
  org_access: 'all' | 'selected' | 'none'
}

/** A company whose last full administrator is gone could be managed by nobody: 409 `last_admin`. Before the change. */
export function assertNotLastAdmin(db: Database, member: PartnerMember): void {
  const others = db.all(
    q
      .selectFrom('partner_users')
      .innerJoin('users', 'users.id', 'partner_users.user_id')
      .select(['partner_users.user_id', 'role_id'])
      .distinct()
      .where('partner_id', '=', member.partner_id)
      .where('org_access', '=', 'all')
      .where('users.status', '=', 'active'),
  )
  const isFull = (roleId: string) => findGrants(db, roleId).some(isEverything)
  const full = others.filter(({ role_id }) => isFull(role_id))
  if (full.length === 1 && full[0]?.user_id === member.user_id) throw new AppError('last_admin')
}
