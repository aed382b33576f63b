import type { Limit } from '../../lib/limit.ts'

export const ssoLimits = {
  // The way to an identity provider: any target from one address, then each target, or each account to be connected.
  sso_login: { max: 30, windowSeconds: 300 },
  sso_login_target: { max: 10, windowSeconds: 300 },
  sso_exchange: { max: 30, windowSeconds: 60 },
  sso_check: { max: 60, windowSeconds: 60 },
  sso_discovery: { max: 20, windowSeconds: 300 },
  /** Each has the appliance call somebody. */
  sso_probe: { max: 10, windowSeconds: 60 },
  sso_domain_verify: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
