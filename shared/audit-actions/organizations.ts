export const organizationsActions = {
  'organization.create': 'Created an organization',
  'organization.update': 'Changed an organization',
  'organization.delete': 'Deleted an organization',
} as const
