import type { Refusals } from './refusals.ts'

export const apiKeysErrors = {
  api_key_scope_unknown: { status: 400, error: 'There is no such scope for API keys', onScreen: null },
  api_key_not_active: {
    status: 400,
    error: 'API key is not active',
    onScreen: 'This key works no more, so it can not be changed.',
  },
  api_key_revoked: { status: 400, error: 'API key is already revoked', onScreen: 'This key is revoked already.' },
  invalid_api_key: { status: 401, error: 'Invalid API key', onScreen: null },
  api_key_not_accepted: { status: 401, error: 'API keys are not accepted here', onScreen: null },
  api_key_beyond_caller: {
    status: 403,
    error: 'This API key can do more than you can',
    onScreen: 'This key can do more than you can, so you can only revoke it.',
  },
  api_key_beyond_creator: {
    status: 403,
    error: 'Whoever created this API key can not do that themselves',
    onScreen: 'Whoever made this key may not do that themselves. Make a key of your own.',
  },
  api_key_without_creator: {
    status: 403,
    error: 'Whoever created this API key can no longer do what it is for; it can only be revoked',
    onScreen: 'Whoever made this key may not do any more what it is for. It can only be revoked.',
  },
  api_key_not_found: { status: 404, error: 'API key not found', onScreen: 'This key does not exist any more.' },
} as const satisfies Refusals
