export const lifecycleErrors = {
  partner_required_to_archive: { status: 400, error: 'Partner context required to manage organization archives' },
  tenant_offboarding: { status: 403, error: 'tenant_offboarding' },
  org_not_archivable: { status: 409, error: 'Only an organization that is active, on trial or suspended is archived' },
  org_not_archived: { status: 409, error: 'The organization is not archived' },
  org_already_purging: { status: 410, error: 'Organization is already purging and can no longer be restored' },
} as const
