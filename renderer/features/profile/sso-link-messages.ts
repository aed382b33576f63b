import type { SsoLinkErrorCode } from '../../../shared/sso-codes.ts'

/** Why an identity was not linked, and what to do next. */
const linkNotices: Record<SsoLinkErrorCode, string> = {
  user_gone: 'The account you wanted to connect no longer exists.',
  session_invalid: 'You signed out, or your session changed, before your identity provider answered. Connect it again.',
  email_mismatch:
    'Your identity provider has a different email address for you. Sign in there with this account’s address.',
  identity_in_use:
    'That identity belongs to another account, or this account is connected to a different one there. Disconnect that first, or ask your administrator.',
  provider_inactive: 'The identity provider was turned off in the meantime. Ask your administrator.',
  config_changed: 'The identity provider was changed in the meantime. Connect it again.',
  tenant_inactive: 'Your organization’s account isn’t active. Ask the company that manages it.',
  email_unverified:
    'Your identity provider hasn’t verified your email address. Verify it there, or ask your administrator.',
  domain_not_allowed: 'Addresses like yours can’t be connected to this provider. Ask your administrator.',
  sso_error:
    'Your identity provider sent an unexpected answer. Try again; if it keeps failing, ask your administrator.',
}

const linkFailed = 'Connecting your identity provider failed. Try again, or ask your administrator.'

// Only listed codes are shown, because anybody can put a code into the URL.
export const linkNotice = (code: string): string =>
  Object.hasOwn(linkNotices, code) ? linkNotices[code as SsoLinkErrorCode] : linkFailed
