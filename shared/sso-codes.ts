/** Why a single sign-on ended without a session: `/login?error=<code>`. */
export const ssoErrorCodes = [
  'invalid_callback',
  'session_expired',
  'sso_error',
  'provider_not_found',
  'sso_provider_inactive',
  'sso_config_changed',
  'tenant_inactive',
  'sso_provider_unverified',
  'sso_no_id_token',
  'sso_subject_mismatch',
  'sso_no_subject',
  'sso_email_unverified',
  'sso_domain_unverified',
  'domain_not_allowed',
  'no_org_access',
  'no_partner_access',
  'invalid_role_scope',
  'invite_required',
  'identity_in_use',
  'sso_link_required',
  'user_not_found',
  'default_role_required',
  'invalid_provider_configuration',
  'user_creation_failed',
  'account_inactive',
  'ip_not_allowed',
  // before the identity provider was asked, told to a browser that came by a link
  'sso_unavailable',
  'sso_not_ready',
  'rate_limited',
  // said by the console itself
  'sso_exchange_failed',
] as const
export type SsoErrorCode = (typeof ssoErrorCodes)[number]

/** Why an identity was not connected to an account: `/settings/profile?ssoLinkError=<code>`. */
export const ssoLinkErrorCodes = [
  'user_gone',
  'session_invalid',
  'email_mismatch',
  'identity_in_use',
  'provider_inactive',
  'config_changed',
  'tenant_inactive',
  'email_unverified',
  'domain_not_allowed',
  'sso_error',
] as const
export type SsoLinkErrorCode = (typeof ssoLinkErrorCodes)[number]
