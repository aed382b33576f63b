import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { hasWholeTenant, isConfined, reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  grantedOrganization,
  isGranted,
  resolveOrganization,
  writableOrganization,
} from '../../organization-access/index.ts'

/** Which providers and domains a caller may see and change. Any other does not exist for them. */

/** `test` is audited, so it is refused like `write` where an organization is frozen; otherwise it needs the rights of `read`. */
export type Purpose = 'read' | 'test' | 'write'

interface Owned {
  org_id: string | null
  partner_id: string | null
}

/** @throws AppError `missing` where the caller has no access; 409 for changes in a frozen organization */
export function assertAccess(db: Database, actor: UserActor, row: Owned, to: Purpose, missing: ErrorCode): void {
  if (row.org_id !== null) assertOrganizationAccess(db, actor, row.org_id, to, missing)
  else if (actor.scope === 'system') return
  else if (row.partner_id !== actor.partnerId || actor.scope === 'organization') throw new AppError(missing)
  else if (to === 'write') assertWholePartner(actor)
}

function assertOrganizationAccess(db: Database, actor: UserActor, id: string, to: Purpose, missing: ErrorCode): void {
  if (!isGranted(db, actor, { id }) || isConfined(actor)) throw new AppError(missing)
  if (to !== 'read') writableOrganization(db, actor, id, missing)
  else if (!reachesOrg(actor, id)) throw new AppError(missing)
}

/** The organization a call is about: the first one named, or, where none is named, the only one of the caller. */
export function organizationFor(
  db: Database,
  actor: UserActor,
  named: readonly (string | undefined)[],
  to: 'read' | 'write',
): string {
  const id = resolveOrganization(db, actor, named.find(Boolean), 'sso_organization_required')
  const org = grantedOrganization(db, actor, id)
  if (!org) throw new AppError('org_access_denied')
  if (to === 'write') writableOrganization(db, actor, id, 'org_access_denied')
  else if (!reachesOrg(actor, id)) throw new AppError('org_access_denied')
  if (isConfined(actor)) throw new AppError('sso_access_denied')
  return id
}

export function assertWholePartner(actor: UserActor): void {
  if (!hasWholeTenant(actor)) throw new AppError('partner_policy_access_required')
}
