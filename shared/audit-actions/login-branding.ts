export const loginBrandingActions = {
  'partner.login_branding.update': 'Changed the look of the sign-in page',
} as const
