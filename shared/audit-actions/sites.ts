export const sitesActions = {
  'site.create': 'Created a site',
  'site.update': 'Changed a site',
  'site.delete': 'Deleted a site',
} as const
