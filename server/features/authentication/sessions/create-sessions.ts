import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { IpAllowlist, MfaPolicy } from '../../access/index.ts'
import { SessionCookies } from './cookies.ts'
import { KnownBrowsers } from './known-browsers.ts'
import { OwnSessions } from './own-sessions.ts'
import { RefreshTokens } from './refresh-tokens.ts'
import { Sessions } from './sessions.ts'
import { TokenPairs } from './token-pairs.ts'
import { createTokens } from './tokens.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  allowlist: IpAllowlist
}

/** Sessions with their tokens and cookies. */
export function createSessions(dependencies: Dependencies) {
  const { config, db, clock, secrets, audit } = dependencies
  const tokens = createTokens(secrets.jwtKey, clock)
  const knownBrowsers = new KnownBrowsers(secrets.knownBrowserKey, clock)
  const pairs = new TokenPairs(db, clock, tokens)
  const sessions = new Sessions(db, clock, pairs, config.sessionMaxDays)
  return {
    tokens,
    sessions,
    knownBrowsers,
    cookies: new SessionCookies({ ...config.cookie, allowedOrigins: config.corsAllowedOrigins }, knownBrowsers),
    ownSessions: new OwnSessions(db, clock, audit, sessions),
    refreshTokens: new RefreshTokens({
      ...dependencies,
      tokens,
      pairs,
      sessions,
      graceSeconds: config.refreshRotationGraceSeconds,
    }),
  }
}
