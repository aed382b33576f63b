import { readEnv, readNumber } from './env.ts'

export interface Limit {
  max: number
  windowSeconds: number
  /** Kept in the database: a restart must not hand an attacker fresh tries. */
  isDurable?: true
  /** The window begins with the first use and passes as a whole, instead of sliding; for durable ones. */
  isFixed?: true
}

/** Every rate limit of the appliance, in one place (reference/auth-and-users.md §6, agent-protocol.md §§2–6). */
export const defaultLimits = {
  global: { max: 300, windowSeconds: 60 },
  login_ip: { max: 10, windowSeconds: 300, isDurable: true },
  login_email: { max: 5, windowSeconds: 300, isDurable: true },
  login_lockout: { max: 5, windowSeconds: 900, isDurable: true, isFixed: true },
  // For one browser that its owner has signed in from before.
  login_lockout_browser: { max: 5, windowSeconds: 900, isDurable: true, isFixed: true },
  // Each allows unknown browsers five more guesses.
  account_unlock: { max: 3, windowSeconds: 3600, isDurable: true },
  unlock_link: { max: 30, windowSeconds: 300 },
  mfa_verify: { max: 5, windowSeconds: 300, isDurable: true },
  mfa_setup: { max: 5, windowSeconds: 300, isDurable: true },
  setup_code: { max: 5, windowSeconds: 300 },
  step_up: { max: 5, windowSeconds: 300, isDurable: true },
  current_password: { max: 5, windowSeconds: 300, isDurable: true },
  passkey_options: { max: 20, windowSeconds: 300 },
  // Every look at the sign-in page takes one, and a whole office may stand behind one address.
  passkey_login_options: { max: 600, windowSeconds: 300 },
  passkey_login_refused: { max: 10, windowSeconds: 300, isDurable: true },
  // Every look at the sign-in page takes one; kept in memory, so that a look writes nothing.
  login_context: { max: 30, windowSeconds: 60 },
  // The way to an identity provider: any target from one address, then each target, or each account to be connected.
  sso_login: { max: 30, windowSeconds: 300 },
  sso_login_target: { max: 10, windowSeconds: 300 },
  sso_exchange: { max: 30, windowSeconds: 60 },
  sso_check: { max: 60, windowSeconds: 60 },
  sso_discovery: { max: 20, windowSeconds: 300 },
  /** Each has the appliance call somebody. */
  sso_probe: { max: 10, windowSeconds: 60 },
  sso_domain_verify: { max: 10, windowSeconds: 60 },
  forgot_password: { max: 3, windowSeconds: 3600, isDurable: true },
  forgot_password_account: { max: 5, windowSeconds: 3600, isDurable: true },
  reset_link_check: { max: 30, windowSeconds: 300 },
  phone_verify_number: { max: 3, windowSeconds: 3600, isDurable: true },
  phone_verify_user: { max: 5, windowSeconds: 3600, isDurable: true },
  phone_confirm: { max: 5, windowSeconds: 300, isDurable: true },
  sms_challenge: { max: 3, windowSeconds: 300, isDurable: true },
  // Each costs money: whatever goes wrong or is driven to go wrong, this much an hour and no more.
  sms_total: { max: 500, windowSeconds: 3600, isDurable: true },
  sms_number: { max: 5, windowSeconds: 900, isDurable: true },
  register_partner: { max: 3, windowSeconds: 3600, isDurable: true },
  register: { max: 5, windowSeconds: 3600, isDurable: true },
  /** Mails about new companies, for the whole appliance. */
  company_news: { max: 10, windowSeconds: 86_400, isDurable: true },
  verify_email: { max: 10, windowSeconds: 300, isDurable: true },
  /** Events about calls beyond that. */
  verify_email_told: { max: 1, windowSeconds: 300 },
  invite_preview: { max: 30, windowSeconds: 600 },
  invite_accept: { max: 10, windowSeconds: 3600, isDurable: true },
  /** Links for one who was invited: nobody fills their mailbox. */
  invite_resend: { max: 10, windowSeconds: 3600, isDurable: true },
  /** Invitations of one address by one company and its organizations. */
  invite_address: { max: 20, windowSeconds: 86_400, isDurable: true },
  /** Mails to one address by all companies together: beyond it people are invited, and no mail leaves. */
  invite_mail: { max: 60, windowSeconds: 86_400, isDurable: true },
  // Each reads all there is, and takes turns with the long work of all companies.
  audit_export: { max: 30, windowSeconds: 60 },
  avatar_upload: { max: 20, windowSeconds: 600 },
  resend_verification_minute: { max: 1, windowSeconds: 60, isDurable: true },
  resend_verification_hour: { max: 5, windowSeconds: 3600, isDurable: true },
  test_message: { max: 5, windowSeconds: 60 },
  psa_test: { max: 10, windowSeconds: 60 },
  refresh_session: { max: 60, windowSeconds: 60 },
  enrollment_ip: { max: 10, windowSeconds: 60 },
  /** Calls with an API key that is refused. */
  api_key_probe: { max: 300, windowSeconds: 60 },
  enrollment_key_create: { max: 10, windowSeconds: 60 },
  agent_address: { max: 60, windowSeconds: 60 },
  agent: { max: 120, windowSeconds: 60 },
  agent_socket: { max: 6, windowSeconds: 60 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof defaultLimits
export type LimitOverrides = Partial<Record<LimitName, Limit>>

/** `HOMEPORT_LIMIT_LOGIN_IP=100/60` allows 100 in 60 seconds; `0/1` switches a limit off. */
export function readLimitOverrides(env: NodeJS.ProcessEnv): LimitOverrides {
  const { login_lockout, api_key_probe } = defaultLimits
  const lockout = {
    ...login_lockout,
    max: readNumber(env, 'LOGIN_ACCOUNT_LOCKOUT_MAX', login_lockout.max, 0, 1000),
    windowSeconds: readNumber(env, 'LOGIN_ACCOUNT_LOCKOUT_WINDOW_SECONDS', login_lockout.windowSeconds, 1, 86_400),
  }
  const overrides: LimitOverrides = {
    // The names the public API has for these.
    login_lockout: lockout,
    login_lockout_browser: lockout,
    api_key_probe: {
      max: readNumber(env, 'API_KEY_PRELOOKUP_RATE_LIMIT', api_key_probe.max, 1, 1_000_000),
      windowSeconds: readNumber(env, 'API_KEY_PRELOOKUP_RATE_WINDOW_SECONDS', api_key_probe.windowSeconds, 1, 86_400),
    },
  }
  for (const name of Object.keys(defaultLimits) as LimitName[]) {
    const variable = `HOMEPORT_LIMIT_${name.toUpperCase()}`
    const text = readEnv(env, variable)
    if (text === undefined) continue
    const [, max, seconds] = /^(\d{1,7})\/(\d{1,6})$/.exec(text) ?? []
    if (!max || !seconds || Number(seconds) < 1)
      throw new Error(`${variable} must look like 100/60 (uses/seconds); it is "${text}"`)
    overrides[name] = { ...defaultLimits[name], max: Number(max), windowSeconds: Number(seconds) }
  }
  return overrides
}
