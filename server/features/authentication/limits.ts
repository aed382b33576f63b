import type { Limit } from '../../lib/limit.ts'

export const authenticationLimits = {
  login_ip: { max: 10, windowSeconds: 300, isDurable: true },
  login_email: { max: 5, windowSeconds: 300, isDurable: true },
  login_lockout: { max: 5, windowSeconds: 900, isDurable: true, isFixed: true },
  // Per known browser.
  login_lockout_browser: { max: 5, windowSeconds: 900, isDurable: true, isFixed: true },
  // Per account. Each unlock allows unknown browsers five more guesses.
  account_unlock: { max: 3, windowSeconds: 3600, isDurable: true },
  unlock_link: { max: 30, windowSeconds: 300 },
  mfa_verify: { max: 5, windowSeconds: 300, isDurable: true },
  mfa_setup: { max: 5, windowSeconds: 300, isDurable: true },
  setup_code: { max: 5, windowSeconds: 300 },
  step_up: { max: 5, windowSeconds: 300, isDurable: true },
  current_password: { max: 5, windowSeconds: 300, isDurable: true },
  passkey_options: { max: 20, windowSeconds: 300 },
  // Every view of the sign-in page consumes one, and many people may share one address.
  passkey_login_options: { max: 600, windowSeconds: 300 },
  passkey_login_refused: { max: 10, windowSeconds: 300, isDurable: true },
  forgot_password: { max: 3, windowSeconds: 3600, isDurable: true },
  forgot_password_account: { max: 5, windowSeconds: 3600, isDurable: true },
  reset_link_check: { max: 30, windowSeconds: 300 },
  phone_verify_number: { max: 3, windowSeconds: 3600, isDurable: true },
  phone_verify_user: { max: 5, windowSeconds: 3600, isDurable: true },
  phone_confirm: { max: 5, windowSeconds: 300, isDurable: true },
  sms_challenge: { max: 3, windowSeconds: 300, isDurable: true },
  // Each text message costs money, so their number is limited for the whole appliance.
  sms_total: { max: 500, windowSeconds: 3600, isDurable: true },
  sms_number: { max: 5, windowSeconds: 900, isDurable: true },
  register_partner: { max: 3, windowSeconds: 3600, isDurable: true },
  register: { max: 5, windowSeconds: 3600, isDurable: true },
  /** Mails about newly registered partners, for the whole appliance. */
  company_news: { max: 10, windowSeconds: 86_400, isDurable: true },
  verify_email: { max: 10, windowSeconds: 300, isDurable: true },
  /** Audit events about calls that `verify_email` refuses. */
  verify_email_told: { max: 1, windowSeconds: 300 },
  avatar_upload: { max: 20, windowSeconds: 600 },
  resend_verification_minute: { max: 1, windowSeconds: 60, isDurable: true },
  resend_verification_hour: { max: 5, windowSeconds: 3600, isDurable: true },
  refresh_session: { max: 60, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
