import type { UserActor } from './actor.ts'
import { AppError } from './errors.ts'

/**
 * The id of the partner an actor works in, as a member of it or of one of its organizations.
 * @throws AppError `partner_context_required` for an operator
 */
export function actingPartnerId({ partnerId }: Pick<UserActor, 'partnerId'>): string {
  if (partnerId === null) throw new AppError('partner_context_required')
  return partnerId
}

/**
 * The id of the organization an actor works in.
 * @throws AppError `org_context_required` for a member of a partner and for an operator
 */
export function actingOrganizationId({ orgId }: Pick<UserActor, 'orgId'>): string {
  if (orgId === null) throw new AppError('org_context_required')
  return orgId
}
