import type { orderOrganizations } from '../../../shared/api/organizations.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { hasWholeTenant, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import { findPartner, placeOrganizations, saveOrganizationOrder } from '../partners/index.ts'

/** Saves the order a partner prefers its organizations in. It is the order of everybody there, so it takes full access. */
export async function saveOrder(
  db: Database,
  audit: Audit,
  actor: UserActor,
  { partnerId: named }: QueryOf<typeof orderOrganizations>,
  { orderedIds }: BodyOf<typeof orderOrganizations>,
): Promise<string[]> {
  if (!hasWholeTenant(actor)) throw new AppError('full_partner_access_required')
  const partnerId = actor.scope === 'system' ? named : actor.partnerId
  if (!partnerId) throw new AppError('partner_context_required')
  await placeOrganizations(db, partnerId)
  return db.transaction(() => {
    const { name } = findPartner(db, partnerId)
    const order = saveOrganizationOrder(db, partnerId, orderedIds)
    audit(actor, {
      action: 'partner.organizationOrder.update',
      resourceType: 'partner',
      resourceId: partnerId,
      resourceName: name,
      partnerId,
      details: { count: order.length },
    })
    return order
  })
}
