import type { TenantMembership } from '../access/index.ts'

/** Whose provider it is: an organization's, or a partner's and so of everybody who works there. */
export type ProviderOwner = { orgId: string; partnerId: null } | { orgId: null; partnerId: string }

/** Whether somebody works there: operators, who are members of nothing, do not. */
export const isOf = (membership: TenantMembership | { kind: 'system' } | null, owner: ProviderOwner): boolean =>
  owner.orgId === null
    ? membership?.kind === 'partner' && membership.partner_id === owner.partnerId
    : membership?.kind === 'organization' && membership.org_id === owner.orgId
