/** Tabs of the page “Sign-in and SSO” except the first, as they are in the URL. */
export const signInTabs = ['sign-on', 'page'] as const
