export const psaActions = {
  'psa.connection.create': 'Connected a ticket system',
  'psa.connection.update': 'Changed a ticket system connection',
  'psa.connection.status.update': 'Turned a ticket system connection on or off',
  'psa.connection.test': 'Tested a ticket system connection',
  'psa.connection.delete': 'Removed a ticket system connection',
} as const
