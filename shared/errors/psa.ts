import type { Refusals } from './refusals.ts'

export const psaErrors = {
  psa_access_denied: {
    status: 403,
    error: 'Access denied',
    onScreen: 'You don’t have access to this organization’s connections.',
  },
  psa_connection_not_found: {
    status: 404,
    error: 'PSA connection not found',
    onScreen: 'This connection no longer exists.',
  },
  PSA_CONNECTION_IN_USE: {
    status: 409,
    error: 'Service management uses this connection',
    onScreen: 'Your company uses this connection. Choose another ticket system first.',
  },
  psa_sync_unavailable: {
    status: 501,
    error: 'PSA ticket sync is not implemented yet',
    onScreen: 'Tickets can’t be synchronized yet.',
  },
} as const satisfies Refusals
