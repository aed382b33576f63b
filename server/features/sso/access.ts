import type { ErrorCode } from '../../../shared/errors.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { hasWholeTenant, reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { grantedOrganization, isGranted, organizationMeant, writableOrganization } from '../standing/index.ts'

/**
 * Whose providers and domains somebody may see and change (reference/sso.md §4). Those of another company do not exist;
 * those of the own company that are not for the caller are refused.
 */

/** A test is on record, so it is no reading where nothing may be written; beyond that it is. */
export type Purpose = 'read' | 'test' | 'write'

interface Owned {
  org_id: string | null
  partner_id: string | null
}

/** Refuses with `missing`, with 403, or to write with 409 for a frozen organization. */
export function assertAccess(db: Database, actor: UserActor, row: Owned, to: Purpose, missing: ErrorCode): void {
  if (row.org_id !== null) assertOrganizationAccess(db, actor, row.org_id, to, missing)
  else if (actor.scope === 'system') return
  else if (row.partner_id !== actor.partnerId) throw new AppError(missing)
  else if (actor.scope === 'organization') throw new AppError('sso_access_denied')
  else if (to === 'write') assertWholePartner(actor)
}

function assertOrganizationAccess(db: Database, actor: UserActor, id: string, to: Purpose, missing: ErrorCode): void {
  const org = db.first(q.selectFrom('organizations').select(['id', 'partner_id']).where('id', '=', id))
  if (!org || (actor.scope !== 'system' && org.partner_id !== actor.partnerId)) throw new AppError(missing)
  if (!isGranted(db, actor, org)) throw new AppError('sso_access_denied')
  if (to !== 'read') writableOrganization(db, actor, id, missing)
  else if (!reachesOrg(actor, id)) throw new AppError(missing)
  assertUnconfined(actor)
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
  assertUnconfined(actor)
  return id
}

export function assertWholePartner(actor: UserActor): void {
  if (!hasWholeTenant(actor)) throw new AppError('partner_policy_access_required')
}

/** How people sign in is about the whole organization; somebody of one site or group has no part in it. */
function assertUnconfined({ sites, groups }: UserActor): void {
  if (sites !== null || groups !== null) throw new AppError('sso_access_denied')
}
