import type { Refusals } from './refusals.ts'

export const agentsErrors = {
  agent_unauthorized: { status: 401, error: 'Missing or invalid Authorization header', onScreen: null },
  agent_token_format: { status: 401, error: 'Invalid agent token format', onScreen: null },
  agent_credentials: { status: 401, error: 'Invalid agent credentials', onScreen: null },
  re_enrollment_required: { status: 401, error: 'Re-enrollment required', onScreen: null },
  socket_unauthorized: { status: 401, error: 'Unauthorized', onScreen: null },
  agent_role_not_allowed: { status: 403, error: 'This credential may not be used here', onScreen: null },
  version_not_found: {
    status: 404,
    error: 'No version found for the specified platform and architecture',
    onScreen: null,
  },
  version_download_not_found: {
    status: 404,
    error: 'Version not found for the specified platform and architecture',
    onScreen: null,
  },
  socket_rate_limited: { status: 429, error: 'Too many connection attempts', onScreen: null },
  organization_merging: { status: 503, error: 'The organization is being merged into another one', onScreen: null },
} as const satisfies Refusals
