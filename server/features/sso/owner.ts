/** Whose provider it is: an organization's, or a partner's and so of everybody who works there. */
export type ProviderOwner = { orgId: string; partnerId: null } | { orgId: null; partnerId: string }
