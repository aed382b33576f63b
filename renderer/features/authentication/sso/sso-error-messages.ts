import type { SsoErrorCode } from '../../../../shared/sso-codes.ts'

/** Why a single sign-on ended without a session, and what to do next. */
const signInNotices: Record<SsoErrorCode, string> = {
  invalid_callback: 'Your identity provider sent you back without an answer. Start again here.',
  session_expired: 'That sign-in took too long, or was begun in another browser. Start again here.',
  sso_error:
    'Signing in through your identity provider did not work. Try again; if it fails again, ask your administrator.',
  provider_not_found: 'This way to sign in does not exist any more. Use another one, or ask your administrator.',
  sso_provider_inactive: 'This way to sign in is switched off. Use another one, or ask your administrator.',
  sso_config_changed: 'This way to sign in was changed while you were on it. Start again here.',
  tenant_inactive: 'The account of your organization is not active. Ask the company that looks after it.',
  sso_provider_unverified:
    'Homeport can not check the answers of your identity provider. Ask your administrator to test its settings.',
  sso_no_id_token:
    'Your identity provider did not say who you are. Ask your administrator to check the settings of Homeport there.',
  sso_subject_mismatch:
    'Your identity provider named two different people, so nobody was signed in. Tell your administrator.',
  sso_no_subject:
    'Your identity provider did not say who you are. Ask your administrator to check the settings of Homeport there.',
  sso_email_unverified:
    'Your identity provider does not vouch for your e-mail address. Confirm the address there, or ask your administrator.',
  sso_domain_unverified:
    'Your organization has not shown that the domain of your address is its own. Ask your administrator to verify it.',
  domain_not_allowed:
    'Addresses like yours may not sign in this way. Use the account of your organization, or ask your administrator.',
  no_org_access:
    'You have an account here, but not in this organization. Sign in the way you always do, or ask to be added to it.',
  no_partner_access:
    'You have an account here, but not in this company. Sign in the way you always do, or ask to be added to it.',
  invalid_role_scope: 'Your role can not be used here. Ask your administrator for another one.',
  invite_required: 'You have not been invited yet. Ask your administrator for an invitation, then sign in this way.',
  identity_in_use:
    'Your account is connected with another identity at this provider. Sign in another way and disconnect it in your profile, or ask your administrator.',
  sso_link_required:
    'Your account has another way to sign in. Use that one, then connect your identity provider in your profile.',
  user_not_found: 'You have no account here yet. Ask your administrator to invite you.',
  default_role_required:
    'Your account could not be made: nobody has settled what new people may do. Ask your administrator to choose their role.',
  invalid_provider_configuration:
    'Your account could not be made: the role of new people has to be settled anew. Ask your administrator to save it again.',
  user_creation_failed:
    'Your account could not be made just now. Try again; if it fails again, ask your administrator.',
  account_inactive: 'Your account is switched off. Ask your administrator to switch it on again.',
  ip_not_allowed: 'Your company does not allow signing in from where you are.',
  sso_unavailable: 'There is no identity provider to sign in through here. Use another way, or ask your administrator.',
  sso_not_ready: 'This way to sign in is not set up completely. Use another one, or ask your administrator.',
  rate_limited: 'Too many tries came from where you are. Wait five minutes, then try again.',
  sso_exchange_failed:
    'The sign-in could not be finished. It works once, for two minutes, in the browser that began it: start again here.',
}

const signInFailed = 'Signing in through your identity provider did not work. Try again, or use another way.'

// Only listed codes are shown, because anybody can put a code into the URL.
export const signInNotice = (code: string): string =>
  Object.hasOwn(signInNotices, code) ? signInNotices[code as SsoErrorCode] : signInFailed
