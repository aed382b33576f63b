/** Tabs of the organization page except the first, as they stand in the URL. */
export const organizationTabs = [
  'sites',
  'devices',
  'groups',
  'contacts',
  'people',
  'sign-on',
  'settings',
  'danger',
] as const

export type OrganizationTab = (typeof organizationTabs)[number]
