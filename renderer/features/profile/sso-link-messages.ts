import type { SsoLinkErrorCode } from '../../../shared/sso-codes.ts'

/** Why an identity was not linked, and what to do next. */
const linkNotices: Record<SsoLinkErrorCode, string> = {
  user_gone: 'The account that was to be connected does not exist any more.',
  session_invalid:
    'You signed out, or your sign-in was changed, before your identity provider answered. Connect it again.',
  email_mismatch:
    'Your identity provider knows you by another e-mail address. Sign in there with the address of this account.',
  identity_in_use:
    'That identity belongs to another account, or this account is connected with another one there. Disconnect that first, or ask your administrator.',
  provider_inactive: 'The identity provider was switched off meanwhile. Ask your administrator.',
  config_changed: 'The identity provider was changed meanwhile. Connect it again.',
  tenant_inactive: 'The account of your organization is not active. Ask the company that looks after it.',
  email_unverified:
    'Your identity provider does not vouch for your e-mail address. Confirm the address there, or ask your administrator.',
  domain_not_allowed: 'Addresses like yours can not be connected with this provider. Ask your administrator.',
  sso_error:
    'Your identity provider did not answer as it should. Try again; if it fails again, ask your administrator.',
}

const linkFailed = 'Connecting your identity provider did not work. Try again, or ask your administrator.'

// Only listed codes are shown, because anybody can put a code into the URL.
export const linkNotice = (code: string): string =>
  Object.hasOwn(linkNotices, code) ? linkNotices[code as SsoLinkErrorCode] : linkFailed
