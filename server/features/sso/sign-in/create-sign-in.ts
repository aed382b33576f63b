import { finishLink } from '../links/finish-link.ts'
import type { Outbound } from '../outbound/index.ts'
import type { SsoParts } from '../parts.ts'
import { Callback } from './callback.ts'
import { Clients } from './clients.ts'
import { BindingCookies } from './cookies.ts'
import { Entrance } from './entrance.ts'
import { Exchange } from './exchange.ts'
import { Journeys } from './journeys.ts'
import { LoginStart } from './login-start.ts'
import { Lookups } from './lookups.ts'
import { Readiness } from './readiness.ts'
import { Verification } from './verification.ts'

interface Parts extends SsoParts {
  outbound: Outbound
  callbackUrl: () => string
}

/** The way to an identity provider and back, put together. */
export function createSignIn(parts: Parts) {
  const { config, db, clock, log, secrets, limits, identity, outbound, callbackUrl } = parts
  const { allowlist, policy, newcomers, signIn } = identity
  const clients = new Clients(secrets, outbound)
  const readiness = new Readiness({ ...parts, clients })
  const journeys = new Journeys({ db, clock, clients, callbackUrl })
  const verification = new Verification({ clock, clients, readiness, callbackUrl })
  const { publicUrl } = config
  const { isDomainVerificationStrict, isSecureAlways, returnsRefreshToken } = config.sso
  if (isSecureAlways && publicUrl?.startsWith('http:'))
    log.warn({ publicUrl }, 'single sign-on needs https: browsers drop its cookies otherwise')
  const entrance = new Entrance({ ...parts, allowlist, policy, newcomers, isDomainVerificationStrict })
  const isSecure = () => isSecureAlways || callbackUrl().startsWith('https:')
  return {
    limits,
    readiness,
    journeys,
    sessionCookies: identity.cookies,
    bindingCookies: new BindingCookies(secrets, isSecure),
    loginStart: new LoginStart({ db, limits, readiness, journeys }),
    callback: new Callback({
      ...parts,
      journeys,
      verification,
      entrance,
      finishLink: finishLink({ ...parts, allowlist }),
    }),
    exchange: new Exchange({ db, clock, signIn }),
    lookups: new Lookups(db),
    callbackUrl,
    returnsRefreshToken,
    signInFloorMs: config.signInFloorMs,
  }
}

export type SsoSignIn = ReturnType<typeof createSignIn>
