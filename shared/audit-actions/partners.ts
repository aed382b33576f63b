export const partnersActions = {
  'partner.create': 'Created a company',
  'partner.update': 'Changed a company',
  'partner.delete': 'Deleted a company',
  'partner.organizationOrder.update': 'Reordered the organizations',
  'partner.settings.update': 'Changed the company’s settings',
} as const
