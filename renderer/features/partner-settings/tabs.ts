/** The tabs of the page of the company besides its first; their words are in the address. */
export const partnerSettingsTabs = ['security', 'sign-on', 'sign-in'] as const
