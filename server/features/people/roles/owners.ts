import type { createRole } from '../../../../shared/api/roles.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Role } from '../../access/index.ts'
import { writableOrganization } from '../../organization-access/index.ts'
import { assertFullPartner, type Selector, tenantOf } from '../tenants/tenant-of-call.ts'
import { isBuiltIn } from './tenant-roles.ts'

/** The tenant that owns a custom role. Only its members can be given the role. */
export type Owner = Pick<Role, 'scope' | 'partner_id' | 'org_id'>

export const isOwnedBy = ({ partner_id, org_id }: Role, owner: Owner): boolean =>
  partner_id === owner.partner_id && org_id === owner.org_id
export const ownerOfRole = ({ scope, partner_id, org_id }: Role): Owner => ({ scope, partner_id, org_id })

/** The owner of a new role: the caller's tenant, or the one that the body names. */
export function ownerOfNew(db: Database, actor: UserActor, selector: Selector, body: BodyOf<typeof createRole>): Owner {
  assertFullPartner(actor)
  const isElsewhere = body.partnerId !== undefined && body.partnerId !== actor.partnerId
  if (isElsewhere && actor.scope !== 'system') throw new AppError('partner_access_denied')
  if (body.orgId !== undefined) return organizationOwner(db, actor, body.orgId)
  const tenant = tenantOf(db, actor, { ...selector, partnerId: body.partnerId ?? selector.partnerId }, 'write')
  return tenant.kind === 'partner' ? partnerOwner(tenant.partnerId) : organizationOwner(db, actor, tenant.orgId)
}

/** The owner of a copy: that of the source; of a built-in role, the caller's tenant or the one they name. */
export function ownerOfClone(db: Database, actor: UserActor, selector: Selector, source: Role): Owner {
  if (!isBuiltIn(source)) return ownerOfRole(source)
  if (source.scope === 'organization') {
    const orgId = actor.orgId ?? selector.orgId
    if (orgId !== undefined) return organizationOwner(db, actor, orgId)
  } else if (actor.scope === 'partner' || selector.partnerId !== undefined) {
    const tenant = tenantOf(db, actor, { partnerId: selector.partnerId }, 'write')
    return partnerOwner(tenant.partnerId)
  }
  throw new AppError('tenant_context_required')
}

const partnerOwner = (id: string): Owner => ({ scope: 'partner', partner_id: id, org_id: null })

function organizationOwner(db: Database, actor: UserActor, orgId: string): Owner {
  const { id } = writableOrganization(db, actor, orgId, 'org_access_denied')
  return { scope: 'organization', partner_id: null, org_id: id }
}
