import type { Limit } from '../../lib/limit.ts'

export const ssoLimits = {
  // Starting a sign-in: `sso_login` per client address, `sso_login_target` per tenant, or per account to be connected.
  sso_login: { max: 30, windowSeconds: 300 },
  sso_login_target: { max: 10, windowSeconds: 300 },
  sso_exchange: { max: 30, windowSeconds: 60 },
  sso_check: { max: 60, windowSeconds: 60 },
  sso_discovery: { max: 20, windowSeconds: 300 },
  /** Each makes the appliance connect to an address that a user has entered. */
  sso_probe: { max: 10, windowSeconds: 60 },
  sso_domain_verify: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
