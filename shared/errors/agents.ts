export const agentsErrors = {
  agent_unauthorized: { status: 401, error: 'Missing or invalid Authorization header' },
  agent_token_format: { status: 401, error: 'Invalid agent token format' },
  agent_credentials: { status: 401, error: 'Invalid agent credentials' },
  re_enrollment_required: { status: 401, error: 'Re-enrollment required' },
  socket_unauthorized: { status: 401, error: 'Unauthorized' },
  agent_role_not_allowed: { status: 403, error: 'This credential may not be used here' },
  version_not_found: { status: 404, error: 'No version found for the specified platform and architecture' },
  version_download_not_found: { status: 404, error: 'Version not found for the specified platform and architecture' },
  socket_rate_limited: { status: 429, error: 'Too many connection attempts' },
  organization_merging: { status: 503, error: 'The organization is being merged into another one' },
} as const
