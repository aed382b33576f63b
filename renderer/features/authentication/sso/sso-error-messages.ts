import type { SsoErrorCode } from '../../../../shared/sso-codes.ts'

/** Why a single sign-on ended without a session, and what to do next. */
const signInNotices: Record<SsoErrorCode, string> = {
  invalid_callback: 'Your identity provider sent you back without an answer. Start over here.',
  session_expired: 'That sign-in took too long or was started in another browser. Start over here.',
  sso_error: 'Signing in with your identity provider failed. Try again; if it keeps failing, ask your administrator.',
  provider_not_found: 'This sign-in method no longer exists. Use another one, or ask your administrator.',
  sso_provider_inactive: 'This sign-in method is turned off. Use another one, or ask your administrator.',
  sso_config_changed: 'This sign-in method was changed while you were signing in. Start over here.',
  tenant_inactive: 'Your organization’s account isn’t active. Ask the company that manages it.',
  sso_provider_unverified:
    'Homeport can’t verify your identity provider’s answers. Ask your administrator to test its settings.',
  sso_no_id_token:
    'Your identity provider didn’t say who you are. Ask your administrator to check Homeport’s settings there.',
  sso_subject_mismatch:
    'Your identity provider named two different people, so no one was signed in. Tell your administrator.',
  sso_no_subject:
    'Your identity provider didn’t say who you are. Ask your administrator to check Homeport’s settings there.',
  sso_email_unverified:
    'Your identity provider hasn’t verified your email address. Verify it there, or ask your administrator.',
  sso_domain_unverified:
    'Your organization hasn’t proved that it owns your email domain. Ask your administrator to verify it.',
  domain_not_allowed:
    'Addresses like yours can’t sign in this way. Use your organization’s account, or ask your administrator.',
  no_org_access: 'You have an account here, but not in this organization. Sign in the usual way, or ask to be added.',
  no_partner_access: 'You have an account here, but not in this company. Sign in the usual way, or ask to be added.',
  invalid_role_scope: 'Your role can’t be used here. Ask your administrator for another one.',
  invite_required: 'You haven’t been invited yet. Ask your administrator for an invitation, then sign in this way.',
  identity_in_use:
    'Your account is connected to a different identity at this provider. Sign in another way and disconnect it in your profile, or ask your administrator.',
  sso_link_required:
    'Your account has another sign-in method. Use that one, then connect your identity provider in your profile.',
  user_not_found: 'You don’t have an account here yet. Ask your administrator to invite you.',
  default_role_required:
    'Your account couldn’t be created because no role is set for new people. Ask your administrator to choose one.',
  invalid_provider_configuration:
    'Your account couldn’t be created because the role for new people needs to be confirmed. Ask your administrator to save it again.',
  user_creation_failed: 'Your account couldn’t be created. Try again; if it keeps failing, ask your administrator.',
  account_inactive: 'Your account is disabled. Ask your administrator to enable it.',
  ip_not_allowed: 'Your company doesn’t allow sign-in from your network.',
  sso_unavailable: 'No identity provider is set up here. Sign in another way, or ask your administrator.',
  sso_not_ready: 'This sign-in method isn’t fully set up. Use another one, or ask your administrator.',
  rate_limited: 'Too many attempts from your network. Wait five minutes, then try again.',
  sso_exchange_failed:
    'Sign-in couldn’t be completed. It works once, within two minutes, in the browser you started in: start over here.',
}

const signInFailed = 'Signing in with your identity provider failed. Try again, or sign in another way.'

// Only listed codes are shown, because anybody can put a code into the URL.
export const signInNotice = (code: string): string =>
  Object.hasOwn(signInNotices, code) ? signInNotices[code as SsoErrorCode] : signInFailed
