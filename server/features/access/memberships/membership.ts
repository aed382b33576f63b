import type { Selectable } from 'kysely'
import type { OrganizationUserTable, PartnerUserTable } from '../tables.ts'

export type TenantMembership =
  | (Selectable<PartnerUserTable> & { kind: 'partner' })
  | (Selectable<OrganizationUserTable> & { kind: 'organization'; partner_id: string })

/** `system`: an operator, a platform admin who is a member of no tenant. */
export type Membership = TenantMembership | { kind: 'system' }

/** Null for operators. */
export const membershipIdOf = (membership: Membership): string | null =>
  membership.kind === 'system' ? null : membership.id

/** The partner of the membership, also where it is one of an organization; null for operators. */
export const partnerIdOf = (membership: Membership): string | null =>
  membership.kind === 'system' ? null : membership.partner_id

/** The organization of the membership; null for members of a partner and for operators. */
export const orgIdOf = (membership: Membership): string | null =>
  membership.kind === 'organization' ? membership.org_id : null
