import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { hasWholeTenant, reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import {
  grantedOrganization,
  isGranted,
  organizationMeant,
  writableOrganization,
} from '../organization-access/index.ts'

/**
 * Whose providers and domains somebody may see and change. What is
 * not for the caller does not exist, in the own company or in another one.
 */

/** A test is on record, so it is no reading where nothing may be written; beyond that it is. */
export type Purpose = 'read' | 'test' | 'write'

interface Owned {
  org_id: string | null
  partner_id: string | null
}

/** Refuses with `missing`, or to write with 409 for a frozen organization. */
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

/** Of several names the first one counts; without any it is the only organization that it can be. */
export function organizationFor(
  db: Database,
  actor: UserActor,
  named: readonly (string | undefined)[],
  to: 'read' | 'write',
): string {
  const id = organizationMeant(db, actor, named.find(Boolean), 'sso_organization_required')
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

/** How people sign in is about the whole organization; somebody of one site or group has no part in it. */
const isConfined = ({ sites, groups }: UserActor): boolean => sites !== null || groups !== null
