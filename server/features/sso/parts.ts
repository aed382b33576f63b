import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Names } from '../../platform/outbound/index.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { IpAllowlist, MfaPolicy, Newcomers, SessionCookies, SignIn } from '../access/index.ts'

/** What single sign-on is made of. */
export interface SsoParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  names: Names
  /** What it needs to let somebody in. */
  identity: {
    signIn: SignIn
    cookies: SessionCookies
    allowlist: IpAllowlist
    policy: MfaPolicy
    newcomers: Newcomers
  }
  /** Origin at which the appliance is to be found, best first. */
  home: () => string
}
