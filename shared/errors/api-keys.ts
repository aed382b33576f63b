import type { Refusals } from './refusals.ts'

export const apiKeysErrors = {
  api_key_scope_unknown: { status: 400, error: 'There is no such scope for API keys', onScreen: null },
  api_key_scope_not_in_use: {
    status: 400,
    error: 'This scope opens nothing and cannot be granted',
    onScreen: 'The scope {scope} opens nothing, so it can’t be granted.',
    field: 'scopes',
  },
  api_key_not_active: {
    status: 400,
    error: 'API key is not active',
    onScreen: 'This key no longer works, so it can’t be changed.',
  },
  api_key_revoked: { status: 400, error: 'API key is already revoked', onScreen: 'This key is already revoked.' },
  invalid_api_key: { status: 401, error: 'Invalid API key', onScreen: null },
  api_key_not_accepted: { status: 401, error: 'API keys are not accepted here', onScreen: null },
  api_key_beyond_caller: {
    status: 403,
    error: 'This API key can do more than you can',
    onScreen: 'This key has permissions you don’t, so you can only revoke it.',
  },
  api_key_beyond_creator: {
    status: 403,
    error: 'The creator of this API key cannot do that themselves',
    onScreen: 'The person who created this key doesn’t have that permission. Create your own key.',
  },
  api_key_without_creator: {
    status: 403,
    error: 'The creator of this API key can no longer do what it is for; it can only be revoked',
    onScreen: 'The person who created this key no longer has its permissions. It can only be revoked.',
  },
  api_key_not_found: { status: 404, error: 'API key not found', onScreen: 'This key no longer exists.' },
} as const satisfies Refusals
