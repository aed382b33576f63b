export const loginBrandingActions = {
  'partner.login_branding.update': 'Changed the sign-in page',
} as const
