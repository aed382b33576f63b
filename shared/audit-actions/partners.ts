export const partnersActions = {
  'partner.create': 'Created a company',
  'partner.update': 'Changed a company',
  'partner.delete': 'Deleted a company',
  'partner.organizationOrder.update': 'Put the organizations in another order',
  'partner.settings.update': 'Changed the settings of the company',
} as const
