export const apiKeysErrors = {
  api_key_scope_unknown: { status: 400, error: 'There is no such scope for API keys' },
  api_key_not_active: { status: 400, error: 'API key is not active' },
  api_key_revoked: { status: 400, error: 'API key is already revoked' },
  invalid_api_key: { status: 401, error: 'Invalid API key' },
  api_key_not_accepted: { status: 401, error: 'API keys are not accepted here' },
  api_key_beyond_caller: { status: 403, error: 'This API key can do more than you can' },
  api_key_beyond_creator: { status: 403, error: 'Whoever created this API key can not do that themselves' },
  api_key_without_creator: {
    status: 403,
    error: 'Whoever created this API key can no longer do what it is for; it can only be revoked',
  },
  api_key_not_found: { status: 404, error: 'API key not found' },
} as const
