import type { Refusals } from './refusals.ts'

export const psaErrors = {
  psa_access_denied: {
    status: 403,
    error: 'Access denied',
    onScreen: 'You have no access to the connections of this organization.',
  },
  psa_connection_not_found: {
    status: 404,
    error: 'PSA connection not found',
    onScreen: 'This connection does not exist any more.',
  },
  PSA_CONNECTION_IN_USE: {
    status: 409,
    error: 'The service management works with this connection',
    onScreen: 'Your company works with this connection. Choose another service desk first.',
  },
  psa_sync_unavailable: {
    status: 501,
    error: 'PSA ticket sync is not implemented yet',
    onScreen: 'Tickets can not be synchronized yet.',
  },
} as const satisfies Refusals
