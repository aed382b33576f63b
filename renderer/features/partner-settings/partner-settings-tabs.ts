/** Tabs of the partner's page except the first, as they stand in the URL. */
export const partnerSettingsTabs = ['security', 'sign-on', 'sign-in'] as const
