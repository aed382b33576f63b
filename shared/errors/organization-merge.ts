export const organizationMergeErrors = {
  partner_required_to_merge: { status: 400, error: 'Partner context required to merge organizations' },
  merge_name_mismatch: { status: 400, error: 'confirmName does not match the organization being merged away' },
  merge_into_itself: { status: 400, error: 'An organization can not be merged into itself' },
  merge_loser_status: { status: 400, error: 'Only an active, trial or suspended organization can be merged away' },
  merge_survivor_status: { status: 400, error: 'Only an active or trial organization can take another one in' },
  merge_survivor_leaving: { status: 400, error: 'The surviving organization is about to be merged away itself' },
  merge_unsettled: {
    status: 400,
    error: 'The devices of the organization do not follow its last change of status yet; try again in a moment',
  },
  survivor_not_found: { status: 404, error: 'Surviving organization not found' },
  merge_run_not_found: { status: 404, error: 'Merge run not found' },
  ORG_MERGE_TOO_LARGE: { status: 422, error: 'The organization is too large to be merged' },
} as const
