import type { Refusals } from './refusals.ts'

export const enrollmentKeysErrors = {
  site_not_in_org: {
    status: 400,
    error: 'siteId does not belong to the specified org',
    onScreen: 'That site belongs to another organization.',
  },
  key_without_site: { status: 400, error: 'Enrollment key must be associated with a site', onScreen: null },
  expiry_conflict: { status: 400, error: 'Give expiresAt or ttlMinutes, not both', onScreen: null },
  expiry_past: {
    status: 400,
    error: 'expiresAt must be in the future',
    onScreen: 'Choose a time in the future.',
  },
  enrollment_key_not_found: { status: 401, error: 'Enrollment key not recognized', onScreen: null },
  enrollment_key_expired: { status: 401, error: 'Enrollment key has expired', onScreen: null },
  enrollment_key_exhausted: { status: 401, error: 'Enrollment key has no uses left', onScreen: null },
  enrollment_key_race_lost: { status: 401, error: 'Enrollment key has no uses left', onScreen: null },
  org_context_required: { status: 403, error: 'Organization context required', onScreen: null },
  own_org_keys_only: { status: 403, error: 'Can only create enrollment keys for your organization', onScreen: null },
  key_access_denied: { status: 403, error: 'Access denied', onScreen: null },
  enrollment_secret_required: { status: 403, error: 'Enrollment secret required', onScreen: null },
  enrollment_secret_invalid: { status: 403, error: 'Invalid enrollment secret', onScreen: null },
  enrollment_key_missing: { status: 404, error: 'Enrollment key not found', onScreen: null },
  existing_decommissioned_row_has_suspended_token: {
    status: 409,
    error: 'A decommissioned device with a suspended credential holds this name',
    onScreen: null,
  },
  enrollment_rate_limited: { status: 429, error: 'Enrollment rate limit exceeded', onScreen: null },
  INSTALLER_UNAVAILABLE: { status: 501, error: 'Installer packages are not available', onScreen: null },
} as const satisfies Refusals
