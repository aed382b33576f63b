import { allPermissions, covers, type Grant, grantName } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import type { Identity } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { rolesGranting } from './inheritance.ts'
import { findGrants, type Role } from './store.ts'

/**
 * What somebody may give to others: nobody gives a role, puts into a role or into an API key what they do not hold.
 */

type GrantHolder = Pick<Identity, 'grants'>

const isWildcard = ({ resource, action }: Grant) => resource === '*' || action === '*'

export const isEverything = ({ resource, action }: Grant): boolean => resource === '*' && action === '*'

/** @throws AppError `permission_not_held` (403), which names the first grant that is missing */
export function assertHolds(holder: GrantHolder, required: readonly Grant[]): void {
  const missing = required.find((grant) => !holds(holder, [grant]))
  if (missing) throw new AppError('permission_not_held', { requiredPermission: grantName(missing) })
}

export const holds = ({ grants }: GrantHolder, required: readonly Grant[]): boolean =>
  required.every((grant) => grants.some((held) => covers(held, grant)))

const knownGrants: ReadonlySet<string> = new Set(allPermissions)
const isKnown = (grant: Grant): boolean => knownGrants.has(grantName(grant))

/** The first grant that no custom role may hold or that the holder lacks; undefined where they may give all of them. */
export const firstGrantBeyond = (holder: GrantHolder, required: readonly Grant[]): Grant | undefined =>
  required.find((grant) => isWildcard(grant) || !isKnown(grant) || !holds(holder, [grant]))

/**
 * For the permissions of a custom role.
 * @throws AppError 403 `wildcard_in_custom_role`, `permission_unknown`, `permission_not_held`
 */
export function assertGrantable(holder: GrantHolder, required: readonly Grant[]): void {
  if (required.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  const unknown = required.find((grant) => !isKnown(grant))
  if (unknown) throw new AppError('permission_unknown', { permission: grantName(unknown) })
  assertHolds(holder, required)
}

/** Giving somebody a role gives them all that it and its parents grant, so the giver must hold all of that. */
export function assertAssignable(db: Database, holder: GrantHolder, role: Pick<Role, 'id' | 'is_system'>): void {
  const grants = findGrants(db, role.id)
  if (!role.is_system && grants.some(isWildcard)) throw new AppError('wildcard_in_custom_role')
  assertHolds(holder, grants)
}

/** As `assertAssignable`, as a question and for any number of roles. */
export function assignableBy(db: Database, holder: GrantHolder): (role: Pick<Role, 'id' | 'is_system'>) => boolean {
  const [beyond, wild] = [rolesGranting(db, (grant) => !holds(holder, [grant])), rolesGranting(db, isWildcard)]
  return ({ id, is_system }) => !beyond.has(id) && (is_system === 1 || !wild.has(id))
}
