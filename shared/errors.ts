/**
 * Every refusal the server can utter. The key is the wire `code`, unless the row names another one that two refusals
 * share; `error` is the text clients of the public API know. A service throws the key, one place turns it into an
 * answer, the console chooses its words by the code.
 */
export const errorTable = {
  // 400
  validation_failed: { status: 400, error: 'Validation failed' },
  malformed_json: { status: 400, error: 'Malformed JSON in request body' },
  bad_request: { status: 400, error: 'Bad request' },
  no_updates: { status: 400, error: 'No updates provided' },
  invalid_cursor: { status: 400, error: 'Invalid or malformed cursor' },
  partner_required_to_create_organizations: { status: 400, error: 'Partner context required to create organizations' },
  partner_id_required: { status: 400, error: 'partnerId is required for system scope' },
  org_id_required: { status: 400, error: 'orgId is required' },
  org_id_required_many: { status: 400, error: 'orgId is required when partner has multiple organizations' },
  site_not_in_org: { status: 400, error: 'siteId does not belong to the specified org' },
  key_without_site: { status: 400, error: 'Enrollment key must be associated with a site' },
  expiry_conflict: { status: 400, error: 'Give expiresAt or ttlMinutes, not both' },
  expiry_past: { status: 400, error: 'expiresAt must be in the future' },
  device_already_decommissioned: { status: 400, error: 'Device is already decommissioned' },
  device_not_decommissioned: { status: 400, error: 'Only decommissioned devices can be restored' },
  device_must_be_decommissioned: { status: 400, error: 'Device must be decommissioned first' },
  device_decommissioned_no_commands: { status: 400, error: 'Cannot send commands to a decommissioned device' },
  device_not_quarantined: { status: 400, error: 'Device is not quarantined' },
  target_site_invalid: { status: 400, error: 'Target site not found or belongs to a different organization' },
  use_script_api: { status: 400, error: 'Scripts are run through POST /devices/:id/scripts' },
  mfa_code_invalid: { status: 400, error: 'Invalid verification code' },
  mfa_setup_missing: { status: 400, error: 'Start the setup again' },
  mfa_already_enabled: { status: 400, error: 'MFA is already enabled' },
  mfa_not_enabled: { status: 400, error: 'MFA is not enabled' },
  mfa_method_missing: { status: 400, error: 'Say how you answer: this account signs in with a passkey' },
  mfa_proof_invalid: { status: 400, error: 'The proof was not accepted' },
  password_required: { status: 400, error: 'Enter your password to go on' },
  current_password_incorrect: { status: 400, error: 'Current password is incorrect', code: 'invalid_credentials' },
  already_verified: { status: 400, error: 'already_verified' },
  invalid_reset_token: { status: 400, error: 'Invalid or expired reset token' },
  invalid_verification_link: { status: 400, error: 'Invalid or expired verification link' },
  phone_missing: { status: 400, error: 'No phone number is set' },
  phone_not_verified: { status: 400, error: 'Verify a phone number first' },
  passkey_challenge_missing: { status: 400, error: 'The passkey challenge is missing or has expired; start again' },
  passkey_not_offered: { status: 400, error: 'A passkey can not answer this sign-in' },
  passkey_rejected: { status: 400, error: 'The passkey could not be verified' },
  passkey_origin: { status: 400, error: 'Passkeys do not work at this address' },
  no_passkey: { status: 400, error: 'This account has no passkey' },
  proxy_trust_required: {
    status: 400,
    error: 'Set TRUST_PROXY_HEADERS and TRUSTED_PROXY_CIDRS first, and come through that proxy',
  },
  own_mfa_reset: { status: 400, error: 'You can not reset your own second factor' },
  no_valid_updates: { status: 400, error: 'No valid updates provided' },
  https_required: { status: 400, error: 'This port speaks HTTPS' },
  mail_not_configured: { status: 400, error: 'No mail server is configured' },
  sms_not_configured: { status: 400, error: 'No text message provider is configured' },
  set_by_environment: { status: 400, error: 'This is set by the environment of the appliance' },
  unsupported_encoding: { status: 400, error: 'The request body could not be decompressed' },

  // 401
  unauthorized: { status: 401, error: 'Missing or invalid authorization header' },
  invalid_token: { status: 401, error: 'Invalid or expired token' },
  invalid_credentials: { status: 401, error: 'Invalid email or password' },
  passkey_refused: { status: 401, error: 'This passkey can not sign in here' },
  invalid_refresh_token: { status: 401, error: 'Invalid refresh token' },
  refresh_raced: { status: 401, error: 'Refresh already in progress' },
  login_ip_not_allowed: { status: 401, error: 'Signing in from this address is not allowed', code: 'IP_NOT_ALLOWED' },
  mfa_challenge_expired: { status: 401, error: 'The sign-in has expired; start again' },
  agent_unauthorized: { status: 401, error: 'Missing or invalid Authorization header' },
  agent_token_format: { status: 401, error: 'Invalid agent token format' },
  agent_credentials: { status: 401, error: 'Invalid agent credentials' },
  re_enrollment_required: { status: 401, error: 'Re-enrollment required' },
  socket_unauthorized: { status: 401, error: 'Unauthorized' },
  enrollment_key_not_found: { status: 401, error: 'Enrollment key not recognized' },
  enrollment_key_expired: { status: 401, error: 'Enrollment key has expired' },
  enrollment_key_exhausted: { status: 401, error: 'Enrollment key has no uses left' },
  enrollment_key_race_lost: { status: 401, error: 'Enrollment key has no uses left' },

  // 403
  setup_code_invalid: { status: 403, error: 'The setup code is not valid' },
  missing_csrf_header: { status: 403, error: 'Missing CSRF header' },
  missing_csrf_cookie: { status: 403, error: 'Missing CSRF cookie' },
  invalid_csrf_token: { status: 403, error: 'Invalid CSRF token' },
  invalid_origin: { status: 403, error: 'Invalid request origin' },
  cross_site_request: { status: 403, error: 'Cross-site request blocked' },
  insufficient_permissions: { status: 403, error: 'Insufficient permissions' },
  no_permissions: { status: 403, error: 'No permissions found' },
  permission_denied: { status: 403, error: 'Permission denied' },
  account_not_active: { status: 403, error: 'Account is not active' },
  MFA_REQUIRED: { status: 403, error: 'MFA required' },
  existing_factor_step_up_required: { status: 403, error: 'existing_factor_step_up_required' },
  mfa_enrollment_first: { status: 403, error: 'mfa_enrollment_required', code: 'mfa_enrollment_required' },
  totp_not_allowed: { status: 403, error: 'Your organization does not allow authenticator apps' },
  sms_not_allowed: { status: 403, error: 'Your organization does not allow SMS MFA' },
  mfa_required_by_policy: { status: 403, error: 'Your organization requires a second factor' },
  last_factor: { status: 403, error: 'This is the last factor your organization accepts' },
  passkey_not_yours: { status: 403, error: 'This passkey does not belong to the account' },
  email_change_needs_factor: { status: 403, error: 'Set up a second factor or a password before changing the address' },
  IP_NOT_ALLOWED: { status: 403, error: 'Access from this address is not allowed' },
  untrusted_ip: { status: 403, error: 'The address of this request can not be trusted' },
  PARTNER_NOT_FOUND: { status: 403, error: 'Account not found' },
  full_partner_access_required: { status: 403, error: 'Full partner access required' },
  full_partner_org_access_required: { status: 403, error: 'Full partner organization access required' },
  settings_locked: { status: 403, error: 'These settings are set by the partner' },
  tenant_context_required: { status: 403, error: 'Partner or organization context required' },
  PARTNER_INACTIVE: { status: 403, error: 'Account inactive' },
  TENANT_INACTIVE: { status: 403, error: 'Tenant is not active' },
  platform_admin_required: { status: 403, error: 'platform admin access required' },
  org_access_denied: { status: 403, error: 'Access to this organization denied' },
  site_access_denied: { status: 403, error: 'Access to this site denied' },
  partner_access_denied: { status: 403, error: 'Access denied to this partner' },
  org_context_required: { status: 403, error: 'Organization context required' },
  own_org_keys_only: { status: 403, error: 'Can only create enrollment keys for your organization' },
  key_access_denied: { status: 403, error: 'Access denied' },
  enrollment_secret_required: { status: 403, error: 'Enrollment secret required' },
  enrollment_secret_invalid: { status: 403, error: 'Invalid enrollment secret' },
  tenant_inactive: { status: 403, error: 'Enrollment tenant is not active' },
  device_quarantined: { status: 403, error: 'Device is quarantined pending admin approval' },
  device_decommissioned: { status: 403, error: 'Device has been decommissioned' },
  tenant_offboarding: { status: 403, error: 'tenant_offboarding' },
  DEVICE_LIMIT_REACHED: { status: 403, error: 'Device limit reached' },
  ORG_SUSPENDED: { status: 403, error: 'Organization is suspended' },
  command_role_mismatch: { status: 403, error: 'Command role mismatch' },
  agent_role_not_allowed: { status: 403, error: 'This credential may not be used here' },

  // 404
  not_found: { status: 404, error: 'Not Found' },
  partner_not_found: { status: 404, error: 'Partner not found' },
  organization_not_found: { status: 404, error: 'Organization not found' },
  site_not_found: { status: 404, error: 'Site not found' },
  enrollment_key_missing: { status: 404, error: 'Enrollment key not found' },
  device_not_found: { status: 404, error: 'Device not found' },
  command_not_found: { status: 404, error: 'Command not found' },
  job_not_found: { status: 404, error: 'Job not found' },
  user_not_found: { status: 404, error: 'User not found' },
  session_not_found: { status: 404, error: 'Session not found' },
  passkey_not_found: { status: 404, error: 'Passkey not found' },
  no_pending_email: { status: 404, error: 'No change of the address is waiting' },
  mail_not_found: { status: 404, error: 'Mail not found' },
  version_not_found: { status: 404, error: 'No version found for the specified platform and architecture' },
  version_download_not_found: { status: 404, error: 'Version not found for the specified platform and architecture' },
  binary_not_found: { status: 404, error: 'Binary not found' },

  // 409
  already_bootstrapped: { status: 409, error: 'The appliance is already set up' },
  mfa_policy_would_lock_out_users: { status: 409, error: 'This would lock out people who are enrolled' },
  slug_taken: { status: 409, error: 'That organization slug is already in use' },
  slug_reserved: { status: 409, error: 'That organization slug is still reserved by a deleted organization' },
  ORGANIZATION_LIMIT_REACHED: { status: 409, error: 'Organization limit reached' },
  ORG_NOT_OPERABLE: { status: 409, error: 'The organization is not active' },
  ORG_LIFECYCLE_FROZEN: { status: 409, error: 'The organization can not be changed now' },
  ALREADY_PENDING: { status: 409, error: 'This command is already waiting for the device' },
  command_finished: { status: 409, error: 'The command has already finished' },
  existing_decommissioned_row_has_suspended_token: {
    status: 409,
    error: 'A decommissioned device with a suspended credential holds this name',
  },
  ca_rotation_in_progress: { status: 409, error: 'A certificate authority rotation is already in progress' },
  ca_rotation_unavailable: { status: 409, error: 'This appliance does not use its own certificate authority' },

  // others
  payload_too_large: { status: 413, error: 'Request body is too large' },
  unsupported_media_type: { status: 415, error: 'Unsupported media type' },
  mfa_enrollment_required: { status: 428, error: 'mfa_enrollment_required' },
  session_replacement_unavailable: {
    status: 428,
    error: 'This client can not receive the session that replaces its own',
  },
  rate_limited: { status: 429, error: 'Too many requests' },
  registration_rate_limited: { status: 429, error: 'Too many registration attempts. Try again later.' },
  enrollment_rate_limited: { status: 429, error: 'Enrollment rate limit exceeded' },
  socket_rate_limited: { status: 429, error: 'Too many connection attempts' },
  internal: { status: 500, error: 'Internal Server Error' },
  slug_space_exhausted: { status: 500, error: 'Unable to generate unique company identifier' },
  INSTALLER_UNAVAILABLE: { status: 501, error: 'Installer packages are not available' },
  sms_unavailable: { status: 501, error: 'Text messages are not set up on this appliance' },
  mail_failed: { status: 502, error: 'The mail server did not take the message' },
  sms_failed: { status: 502, error: 'The text message provider did not take the message' },
  unavailable: { status: 503, error: 'Service temporarily unavailable' },
  mail_unavailable: { status: 503, error: 'This appliance can not send mail yet' },
  PARTNER_LOOKUP_UNAVAILABLE: { status: 503, error: 'Service temporarily unavailable' },
} as const

export type ErrorCode = keyof typeof errorTable

export const wireCodeOf = (code: ErrorCode): ErrorCode => {
  const row = errorTable[code]
  return 'code' in row ? row.code : code
}

/** The body of every refusal. */
export interface ErrorBody {
  error: string
  message?: string
  code: ErrorCode
  details?: { formErrors: string[]; fieldErrors: Record<string, string[]> } | Record<string, unknown>
  retryAfter?: number
  requestId?: string
  [extra: string]: unknown
}
