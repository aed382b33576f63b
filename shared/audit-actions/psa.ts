export const psaActions = {
  'psa.connection.create': 'Connected a service desk',
  'psa.connection.update': 'Changed the connection to a service desk',
  'psa.connection.status.update': 'Turned a service desk connection on or off',
  'psa.connection.test': 'Tested the connection to a service desk',
  'psa.connection.delete': 'Removed the connection to a service desk',
} as const
