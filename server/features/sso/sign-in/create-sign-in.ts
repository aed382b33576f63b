import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { IpAllowlist, MfaPolicy, Newcomers, SessionCookies, SignIn } from '../../identity/index.ts'
import { finishLink } from '../links/finish-link.ts'
import type { Outbound } from '../outbound/index.ts'
import { Callback } from './callback.ts'
import { Clients } from './clients.ts'
import { BindingCookies } from './cookies.ts'
import { Entrance } from './entrance.ts'
import { Exchange } from './exchange.ts'
import { Journeys } from './journeys.ts'
import { LoginStart } from './login-start.ts'
import { Lookups } from './lookups.ts'
import { pruneSignIns } from './prune.ts'
import { Readiness } from './readiness.ts'
import { Verification } from './verification.ts'

/** What single sign-on needs to let somebody in. */
export interface IdentityParts {
  signIn: SignIn
  cookies: SessionCookies
  allowlist: IpAllowlist
  policy: MfaPolicy
  newcomers: Newcomers
}

interface Parts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  identity: IdentityParts
  outbound: Outbound
  callbackUrl: () => string
}

/** The way to an identity provider and back, put together. */
export function createSignIn(parts: Parts) {
  const { config, db, clock, secrets, limits, identity, outbound, callbackUrl } = parts
  const { allowlist, policy, newcomers, signIn } = identity
  const clients = new Clients(secrets, outbound)
  const readiness = new Readiness({ ...parts, clients })
  const journeys = new Journeys({ db, clock, clients, callbackUrl })
  const verification = new Verification({ clock, clients, readiness, callbackUrl })
  const { isDomainVerificationStrict, returnsRefreshToken } = config.sso
  const entrance = new Entrance({ ...parts, allowlist, policy, newcomers, isDomainVerificationStrict })
  const isSecure = () => callbackUrl().startsWith('https:')
  return {
    limits,
    readiness,
    journeys,
    sessionCookies: identity.cookies,
    bindingCookies: new BindingCookies(secrets, isSecure),
    loginStart: new LoginStart({ db, limits, readiness, journeys }),
    callback: new Callback({ ...parts, journeys, verification, entrance, finishLink: finishLink(parts) }),
    exchange: new Exchange({ db, clock, signIn }),
    lookups: new Lookups(db),
    callbackUrl,
    returnsRefreshToken,
    prune: () => pruneSignIns(db, clock),
  }
}

export type SsoSignIn = ReturnType<typeof createSignIn>
