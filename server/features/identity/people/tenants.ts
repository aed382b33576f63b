import type { z } from 'zod'
import type { tenantSelector } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { writableOrganization } from '../../organizations/index.ts'

/** Whose people are meant; `isWhole`: also those of the partner's organizations. */
export type Tenant =
  | { kind: 'partner'; partnerId: string; isWhole: boolean }
  | { kind: 'organization'; partnerId: string; orgId: string }

/**
 * The tenant a call about people is about; refuses one that is not the caller's to look after, and to write to one that
 * is frozen.
 */
export function tenantOf(
  db: Database,
  actor: UserActor,
  wanted: z.output<typeof tenantSelector>,
  to: 'read' | 'write',
): Tenant {
  const { orgId, partnerId, ownerScope } = wanted
  const isWhole = ownerScope === 'all'
  switch (actor.scope) {
    case 'organization':
      return { kind: 'organization', partnerId: actor.partnerId as string, orgId: actor.orgId as string }
    case 'partner':
      // As the membership says it: seeing every organization there is comes to the same number, not to the same right.
      if (actor.orgAccess !== 'all') throw new AppError('full_partner_org_access_required')
      if (ownerScope === 'organization') return organizationOf(db, actor, orgId, to)
      return { kind: 'partner', partnerId: actor.partnerId as string, isWhole }
    case 'system':
      if (partnerId === undefined) return organizationOf(db, actor, orgId, to)
      if (!partnerExists(db, partnerId)) throw new AppError('partner_not_found')
      return { kind: 'partner', partnerId, isWhole }
  }
}

function organizationOf(db: Database, actor: UserActor, orgId: string | undefined, to: 'read' | 'write'): Tenant {
  if (orgId === undefined) throw new AppError('tenant_context_required')
  if (to === 'write') {
    const { partner_id } = writableOrganization(db, actor, orgId)
    return { kind: 'organization', partnerId: partner_id, orgId }
  }
  const organization = db.first(
    q.selectFrom('organizations').select('partner_id').where('id', '=', orgId).where(isShown()),
  )
  const isInReach =
    reachesOrg(actor, orgId) && (actor.scope === 'system' || organization?.partner_id === actor.partnerId)
  if (!organization || !isInReach) throw new AppError('organization_not_found')
  return { kind: 'organization', partnerId: organization.partner_id, orgId }
}

const partnerExists = (db: Database, id: string): boolean =>
  db.first(q.selectFrom('partners').select('id').where('id', '=', id).where('deleted_at', 'is', null)) !== undefined
