import type { z } from 'zod'
import type { inviteUser, tenantChoice, tenantSelector } from '../../../../shared/api/people.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { hasWholeTenant, reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { actingOrganizationId, actingPartnerId } from '../../../platform/actor-tenant.ts'
import { AppError } from '../../../platform/errors.ts'
import { operableOrganization, writableOrganization } from '../../organization-access/index.ts'

/** The tenant whose users or roles a call is about; `isWhole`: including those of the partner's organizations. */
export type Tenant =
  | { kind: 'partner'; partnerId: string; isWhole: boolean }
  | { kind: 'organization'; partnerId: string; orgId: string }

export type Selector = z.output<typeof tenantSelector>

/** `invite`: to add members, which is refused for a tenant that is suspended, though others may be changed there. */
type Purpose = 'read' | 'write' | 'invite'

/** The tenant named in a body or a query. In a body, a tenant of another partner is refused instead of ignored. */
export function tenantNamedBy(
  actor: UserActor,
  query: z.output<typeof tenantChoice>,
  { orgId, partnerId }: Pick<BodyOf<typeof inviteUser>, 'orgId' | 'partnerId'>,
): z.output<typeof tenantChoice> {
  if (actor.scope === 'organization' && orgId !== undefined && orgId !== actor.orgId)
    throw new AppError('organization_not_found')
  if (actor.scope !== 'system' && partnerId !== undefined && partnerId !== actor.partnerId)
    throw new AppError('partner_not_found')
  return {
    ...query,
    ...(partnerId !== undefined && { partnerId }),
    ...(orgId !== undefined && { orgId, ownerScope: 'organization' }),
  }
}

/** Users and roles of a partner are managed by members with access to all of its organizations only. */
export function assertFullPartner(actor: UserActor): void {
  if (!hasWholeTenant(actor)) throw new AppError('full_partner_org_access_required')
}

/**
 * The tenant a call about users or roles is about.
 * @throws AppError for a tenant the caller does not manage, for `write` where the organization is frozen, for `invite` where
 *   it is not operable
 */
export function tenantOf(db: Database, actor: UserActor, selector: Selector, to: Purpose): Tenant {
  const { orgId, partnerId, ownerScope } = selector
  const isWhole = ownerScope === 'all'
  assertFullPartner(actor)
  switch (actor.scope) {
    case 'organization': {
      const ownOrgId = actingOrganizationId(actor)
      if (to === 'invite') operableOrganization(db, actor, ownOrgId)
      return { kind: 'organization', partnerId: actingPartnerId(actor), orgId: ownOrgId }
    }
    case 'partner':
      if (ownerScope === 'organization') return organizationOf(db, actor, orgId, to)
      return { kind: 'partner', partnerId: actingPartnerId(actor), isWhole }
    case 'system':
      if (partnerId === undefined || ownerScope === 'organization') return organizationOf(db, actor, orgId, to)
      if (!partnerExists(db, partnerId)) throw new AppError('partner_not_found')
      return { kind: 'partner', partnerId, isWhole }
  }
}

function organizationOf(db: Database, actor: UserActor, orgId: string | undefined, to: Purpose): Tenant {
  if (orgId === undefined) throw new AppError('tenant_context_required')
  if (to !== 'read') {
    const find = to === 'write' ? writableOrganization : operableOrganization
    const { partner_id } = find(db, actor, orgId)
    return { kind: 'organization', partnerId: partner_id, orgId }
  }
  const organization = db.first(
    q.selectFrom('organizations').select('partner_id').where('id', '=', orgId).where(isShown()),
  )
  if (!organization || !reachesOrg(actor, orgId)) throw new AppError('organization_not_found')
  return { kind: 'organization', partnerId: organization.partner_id, orgId }
}

const partnerExists = (db: Database, id: string): boolean =>
  db.first(q.selectFrom('partners').select('id').where('id', '=', id).where('deleted_at', 'is', null)) !== undefined
