import type { TenantMembership } from '../../access/index.ts'

/** Who owns a provider: an organization, or a partner, for its own members. */
export type ProviderOwner = { orgId: string; partnerId: null } | { orgId: null; partnerId: string }

/** Whether a membership is one in the tenant that owns a provider; operators have none. */
export const isOf = (membership: TenantMembership | { kind: 'system' } | null, owner: ProviderOwner): boolean =>
  owner.orgId === null
    ? membership?.kind === 'partner' && membership.partner_id === owner.partnerId
    : membership?.kind === 'organization' && membership.org_id === owner.orgId
