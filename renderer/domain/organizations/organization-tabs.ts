/** The tabs of the page of an organization besides its first; their words are in the address. */
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
