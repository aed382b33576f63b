import type { Refusals } from './refusals.ts'

export const organizationMergeErrors = {
  partner_required_to_merge: { status: 400, error: 'Partner context required to merge organizations', onScreen: null },
  merge_name_mismatch: {
    status: 400,
    error: 'confirmName does not match the organization being merged away',
    onScreen: 'That isn’t the name of the organization to merge.',
  },
  merge_into_itself: { status: 400, error: 'An organization cannot be merged into itself', onScreen: null },
  merge_loser_status: {
    status: 400,
    error: 'Only an active, trial or suspended organization can be merged away',
    onScreen: 'Only active, trial or suspended organizations can be merged.',
  },
  merge_survivor_status: {
    status: 400,
    error: 'Only an active or trial organization can take another one in',
    onScreen: 'Only active or trial organizations can be merge targets.',
  },
  merge_survivor_leaving: {
    status: 400,
    error: 'The surviving organization is about to be merged away itself',
    onScreen: null,
  },
  merge_unsettled: {
    status: 400,
    error: 'The devices of the organization have not followed its last status change yet; try again in a moment',
    onScreen: null,
  },
  survivor_not_found: { status: 404, error: 'Surviving organization not found', onScreen: null },
  merge_run_not_found: { status: 404, error: 'Merge run not found', onScreen: null },
  ORG_MERGE_TOO_LARGE: {
    status: 422,
    error: 'The organization is too large to be merged',
    onScreen: 'The organization has too many records to be merged.',
  },
} as const satisfies Refusals
