export const psaErrors = {
  psa_access_denied: { status: 403, error: 'Access denied' },
  psa_connection_not_found: { status: 404, error: 'PSA connection not found' },
  PSA_CONNECTION_IN_USE: { status: 409, error: 'The service management works with this connection' },
  psa_sync_unavailable: { status: 501, error: 'PSA ticket sync is not implemented yet' },
} as const
