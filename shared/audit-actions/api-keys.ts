export const apiKeysActions = {
  'api_key.create': 'Created an API key',
  'api_key.update': 'Changed an API key',
  'api_key.rotate': 'Rotated an API key',
  'api_key.revoke': 'Revoked an API key',
} as const
