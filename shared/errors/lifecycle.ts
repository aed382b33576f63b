import type { Refusals } from './refusals.ts'

export const lifecycleErrors = {
  partner_required_to_archive: {
    status: 400,
    error: 'Partner context required to manage organization archives',
    onScreen: 'Organizations are archived by somebody of their own company.',
  },
  tenant_offboarding: {
    status: 403,
    error: 'tenant_offboarding',
    onScreen: 'The account of this company is being closed.',
  },
  org_not_archivable: {
    status: 409,
    error: 'Only an organization that is active, on trial or suspended is archived',
    onScreen: 'Only an organization that is active, on trial or suspended can be archived.',
  },
  org_not_archived: {
    status: 409,
    error: 'The organization is not archived',
    onScreen: 'The organization is not in the archive any more.',
  },
  org_already_purging: {
    status: 410,
    error: 'Organization is already purging and can no longer be restored',
    onScreen: 'This organization is being deleted for good and can not be brought back.',
  },
} as const satisfies Refusals
