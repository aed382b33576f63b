import { sql } from 'kysely'
import type { ErrorCode } from '../../../shared/errors.ts'
import type { Database } from '../../db/database.ts'
import { frozenStatuses, isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { OrganizationRow } from './views.ts'

/**
 * Whether somebody may write to an organization or below it, asked inside the transaction of the write
 * (reference/tenancy.md §2). The reach of an actor leaves out what is archived or being purged; whoever was granted
 * such an organization still hears that it is frozen, everybody else that there is no such thing.
 */

const frozenReason = {
  archived: 'The organization is archived; restore it first',
  merging: 'A merge of this organization is in progress',
  purging: 'The organization is being purged; it can no longer be restored',
}

/** Refuses with `missing` what the actor can not see, with 409 what is frozen. */
export function writableOrganization(
  db: Database,
  actor: UserActor,
  orgId: string,
  missing: ErrorCode = 'organization_not_found',
): OrganizationRow {
  const org = findOrganization(db, orgId)
  if (!org || !isGranted(db, actor, org)) throw new AppError(missing)
  assertNotFrozen(org)
  if (!reachesOrg(actor, orgId)) throw new AppError(missing)
  return org
}

/** As `writableOrganization`, and the organization must be managed: 409 otherwise. */
export function operableOrganization(
  db: Database,
  actor: UserActor,
  orgId: string,
  missing: ErrorCode = 'organization_not_found',
): OrganizationRow {
  const org = writableOrganization(db, actor, orgId, missing)
  if (!isOperable(org.status)) throw new AppError('ORG_NOT_OPERABLE', { currentStatus: org.status })
  return org
}

/** In the raw selection of the actor's membership, whatever its status; null when it is not, or is deleted. */
export function grantedOrganization(db: Database, actor: UserActor, orgId: string): OrganizationRow | null {
  const org = findOrganization(db, orgId)
  return org && isGranted(db, actor, org) ? org : null
}

export function assertNotFrozen(org: Pick<OrganizationRow, 'status'>): void {
  const frozen = frozenStatuses.find((status) => status === org.status)
  if (frozen) throw new AppError('ORG_LIFECYCLE_FROZEN', { error: frozenReason[frozen], currentStatus: frozen })
}

const findOrganization = (db: Database, id: string): OrganizationRow | undefined =>
  db.first(q.selectFrom('organizations').selectAll().where('id', '=', id).where('deleted_at', 'is', null))

function isGranted(db: Database, actor: UserActor, org: OrganizationRow): boolean {
  if (actor.scope === 'system') return true
  if (actor.scope === 'organization') return actor.orgId === org.id
  if (actor.partnerId !== org.partner_id || actor.orgAccess === 'none') return false
  if (actor.orgAccess === 'all') return true
  const named = db.first(
    q
      .selectFrom('partner_users')
      .select(sql`1`.as('one'))
      .where('partner_id', '=', actor.partnerId)
      .where('user_id', '=', actor.userId)
      .where(sql<boolean>`${org.id} in (select value from json_each(org_ids))`),
  )
  return named !== undefined
}
