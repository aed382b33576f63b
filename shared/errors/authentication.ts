import { type Refusals, versionMismatch } from './refusals.ts'

export const authenticationErrors = {
  mfa_code_invalid: {
    status: 400,
    error: 'Invalid verification code',
    onScreen: 'Wrong code. Each code works once and only for a short time.',
  },
  mfa_setup_missing: {
    status: 400,
    error: 'Start the setup again',
    onScreen: 'Setup has expired. Start again.',
  },
  mfa_already_enabled: {
    status: 400,
    error: 'MFA is already enabled',
    onScreen: 'Your account already has this second factor.',
  },
  mfa_not_enabled: { status: 400, error: 'MFA is not enabled', onScreen: 'Your account has no second factor.' },
  mfa_method_missing: {
    status: 400,
    error: 'Choose a verification method: this account signs in with a passkey',
    onScreen: 'Your account uses a passkey. Choose how to continue.',
  },
  mfa_proof_invalid: {
    status: 400,
    error: 'The verification failed',
    onScreen: 'That didn’t work. Codes change every 30 seconds and work once.',
  },
  password_required: {
    status: 400,
    error: 'Enter your password to continue',
    onScreen: 'Enter your password to continue.',
  },
  // With `loginUrl`, where that is done, or null.
  sign_in_again: { status: 400, error: 'Sign in again to continue', onScreen: 'Sign in again to continue.' },
  current_password_incorrect: {
    status: 400,
    error: 'Current password is incorrect',
    code: 'invalid_credentials',
    onScreen: 'Wrong password.',
  },
  already_verified: { status: 400, error: 'already_verified', onScreen: 'Your address is already confirmed.' },
  invalid_reset_token: {
    status: 400,
    error: 'Invalid or expired reset token',
    onScreen: 'This link no longer works. Request a new one.',
  },
  invalid_unlock_link: {
    status: 400,
    error: 'Invalid or expired unlock link',
    onScreen: 'This link no longer works.',
  },
  invalid_verification_link: {
    status: 400,
    error: 'Invalid or expired verification link',
    onScreen: 'This link no longer works.',
  },
  phone_missing: { status: 400, error: 'No phone number is set', onScreen: 'Your account has no phone number.' },
  phone_not_verified: {
    status: 400,
    error: 'Verify a phone number first',
    onScreen: 'Confirm your phone number first.',
  },
  passkey_challenge_missing: {
    status: 400,
    error: 'The passkey challenge is missing or has expired; start again',
    onScreen: 'That took too long. Try the passkey again.',
  },
  passkey_not_offered: {
    status: 400,
    error: 'A passkey cannot answer this sign-in',
    onScreen: 'A passkey can’t be used for this sign-in.',
  },
  passkey_rejected: {
    status: 400,
    error: 'The passkey could not be verified',
    onScreen: 'The appliance didn’t accept this passkey.',
  },
  passkey_origin: {
    status: 400,
    error: 'Passkeys do not work at this address',
    onScreen: 'Passkeys don’t work at this address.',
  },
  no_passkey: { status: 400, error: 'This account has no passkey', onScreen: 'Your account has no passkey.' },
  picture_broken: {
    status: 400,
    error: 'The picture is damaged',
    onScreen: 'This image is damaged. Choose another one.',
  },
  picture_too_large: {
    status: 400,
    error: 'The picture has too many pixels',
    onScreen: 'This image has too many pixels. Choose a smaller one.',
  },
  no_valid_updates: { status: 400, error: 'No valid updates provided', onScreen: null },
  unauthorized: { status: 401, error: 'Missing or invalid authorization header', onScreen: null },
  invalid_token: {
    status: 401,
    error: 'Invalid or expired token',
    onScreen: 'Your session has ended, so nothing was changed.',
  },
  invalid_credentials: {
    status: 401,
    error: 'Invalid email or password',
    onScreen: 'Wrong email or password.',
  },
  passkey_refused: {
    status: 401,
    error: 'This passkey cannot sign in here',
    onScreen: 'This passkey isn’t known here or can’t be used. Use another one, or sign in with your password.',
  },
  invalid_refresh_token: { status: 401, error: 'Invalid refresh token', onScreen: null },
  refresh_raced: { status: 401, error: 'Refresh already in progress', onScreen: null },
  login_ip_not_allowed: {
    status: 401,
    error: 'Signing in from this address is not allowed',
    code: 'IP_NOT_ALLOWED',
    onScreen: 'Your company doesn’t allow sign-in from your network.',
  },
  mfa_challenge_expired: {
    status: 401,
    error: 'The sign-in has expired; start again',
    onScreen: 'Sign-in has expired. Start over with your password.',
  },
  setup_code_invalid: {
    status: 403,
    error: 'The setup code is not valid',
    onScreen:
      'Wrong setup code. After five wrong attempts a new one is created: look in the terminal or in the file setup-code in the data folder.',
  },
  missing_csrf_header: { status: 403, error: 'Missing CSRF header', onScreen: versionMismatch },
  missing_csrf_cookie: { status: 403, error: 'Missing CSRF cookie', onScreen: versionMismatch },
  invalid_csrf_token: { status: 403, error: 'Invalid CSRF token', onScreen: versionMismatch },
  invalid_origin: { status: 403, error: 'Invalid request origin', onScreen: versionMismatch },
  cross_site_request: { status: 403, error: 'Cross-site request blocked', onScreen: versionMismatch },
  sso_reset_closed: {
    status: 403,
    error: 'Password reset is disabled because your organization requires SSO.',
    onScreen: 'Your organization uses an identity provider, so no password can be set here.',
  },
  sso_password_closed: {
    status: 403,
    error: 'Password changes are disabled because your organization requires SSO.',
    onScreen: 'Your organization uses an identity provider. Change your password there.',
  },
  sso_email_closed: {
    status: 403,
    error: 'Email changes for this organization are managed through your SSO provider.',
    onScreen: 'Your organization uses an identity provider. Change your address there.',
  },
  account_not_active: { status: 403, error: 'Account is not active', onScreen: 'Your account isn’t active.' },
  existing_factor_step_up_required: {
    status: 403,
    error: 'existing_factor_step_up_required',
    onScreen: 'Confirm with your second factor first.',
  },
  mfa_enrollment_first: {
    status: 403,
    error: 'mfa_enrollment_required',
    code: 'mfa_enrollment_required',
    onScreen: 'Set up a second factor first.',
  },
  totp_not_allowed: {
    status: 403,
    error: 'Your organization does not allow authenticator apps',
    onScreen: 'Your company doesn’t allow authenticator apps.',
  },
  sms_not_allowed: {
    status: 403,
    error: 'Your organization does not allow SMS MFA',
    onScreen: 'Your company doesn’t allow text messages as a second factor.',
  },
  mfa_required_by_policy: {
    status: 403,
    error: 'Your organization requires a second factor',
    onScreen: 'Your company requires a second factor, so it can’t be turned off.',
  },
  last_factor: {
    status: 403,
    error: 'This is the last factor your organization accepts',
    onScreen: 'This is the last factor your company accepts. Add another one first.',
  },
  passkey_not_yours: {
    status: 403,
    error: 'This passkey does not belong to the account',
    onScreen: 'That passkey belongs to another account.',
  },
  email_change_needs_factor: {
    status: 403,
    error: 'Set up a second factor or a password before changing the address',
    onScreen: 'Set up a second factor or a password before changing your address.',
  },
  PARTNER_INACTIVE: { status: 403, error: 'Account inactive', onScreen: 'Your company’s account isn’t active.' },
  TENANT_INACTIVE: {
    status: 403,
    error: 'Tenant is not active',
    onScreen: 'Your organization’s account isn’t active.',
  },
  tenant_inactive: { status: 403, error: 'Enrollment tenant is not active', onScreen: null },
  avatar_not_found: { status: 404, error: 'Avatar not found', onScreen: null },
  session_not_found: { status: 404, error: 'Session not found', onScreen: null },
  passkey_not_found: { status: 404, error: 'Passkey not found', onScreen: null },
  no_pending_email: {
    status: 404,
    error: 'No email address change is pending',
    onScreen: 'There’s no pending address change.',
  },
  already_bootstrapped: {
    status: 409,
    error: 'The appliance is already set up',
    onScreen: 'This appliance is already set up. Sign in instead.',
  },
  picture_kind: {
    status: 415,
    error: 'Send a PNG, JPEG or WebP picture',
    onScreen: 'Choose a PNG, JPEG or WebP image.',
  },
  mfa_enrollment_required: { status: 428, error: 'mfa_enrollment_required', onScreen: 'Set up a second factor first.' },
  session_replacement_unavailable: {
    status: 428,
    error: 'This client cannot receive the session that replaces its own',
    onScreen: 'This browser lost its session cookie. Sign out, sign in again and repeat this.',
  },
  registration_rate_limited: {
    status: 429,
    error: 'Too many registration attempts. Try again later.',
    onScreen: 'Too many attempts.',
  },
  mail_unavailable: {
    status: 503,
    error: 'This appliance cannot send mail yet',
    onScreen: 'This appliance can’t send email yet. Ask your administrator to set up a mail server.',
  },
} as const satisfies Refusals
