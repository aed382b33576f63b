import type { Refusals } from './refusals.ts'

export const lifecycleErrors = {
  partner_required_to_archive: {
    status: 400,
    error: 'Partner context required to manage organization archives',
    onScreen: 'Only people of the company can archive its organizations.',
  },
  tenant_offboarding: {
    status: 403,
    error: 'tenant_offboarding',
    onScreen: 'The account of this company is being closed.',
  },
  org_not_archivable: {
    status: 409,
    error: 'Only active, trial or suspended organizations can be archived',
    onScreen: 'Only active, trial or suspended organizations can be archived.',
  },
  org_not_archived: {
    status: 409,
    error: 'The organization is not archived',
    onScreen: 'The organization is no longer archived.',
  },
  org_has_legal_hold: {
    status: 409,
    error: 'Snapshots of the organization are on legal hold or immutable',
    onScreen:
      'Backups of this organization are on legal hold or locked, so it can’t be deleted. Archive it instead, or release the holds and wait for the locks to end.',
  },
  org_already_purging: {
    status: 410,
    error: 'Organization is already purging and can no longer be restored',
    onScreen: 'This organization is being permanently deleted and can’t be restored.',
  },
} as const satisfies Refusals
