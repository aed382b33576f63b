import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { Access } from '../../access/index.ts'
import type { Authentication } from '../../authentication/index.ts'
import type { Outbound } from '../outbound/index.ts'
import { AccountProvisioning } from './account-provisioning.ts'
import { AuthorizationRequests } from './authorization-requests.ts'
import { Callback } from './callback.ts'
import { CallbackSignIn } from './callback-sign-in.ts'
import { Clients } from './clients.ts'
import type { CompleteLink } from './complete-link.ts'
import { BindingCookies } from './cookies.ts'
import { Exchange } from './exchange.ts'
import { LoginStart } from './login-start.ts'
import { ProviderPreparation } from './provider-preparation.ts'
import { SignInLookups } from './sign-in-lookups.ts'
import { Verification } from './verification.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  access: Pick<Access, 'allowlist' | 'policy'>
  authentication: Pick<Authentication, 'signIn' | 'cookies' | 'invitationLinks'>
  outbound: Outbound
  completeLink: CompleteLink
  /** Where identity providers send browsers back to. */
  callbackUrl: () => string
}

/** Signing in through an identity provider, from the redirect to the session. */
export function createSignIn(dependencies: Dependencies) {
  const { config, db, clock, secrets, limits, access, authentication, outbound, callbackUrl } = dependencies
  const clients = new Clients(secrets, outbound)
  const preparation = new ProviderPreparation({ ...dependencies, clients })
  const authorizations = new AuthorizationRequests({ db, clock, clients, callbackUrl })
  const verification = new Verification({ clock, clients, preparation, callbackUrl })
  const { isDomainVerificationStrict, returnsRefreshToken } = config.sso
  const accounts = new AccountProvisioning({ ...dependencies, invitationLinks: authentication.invitationLinks })
  const callbackSignIn = new CallbackSignIn({ ...dependencies, ...access, accounts, isDomainVerificationStrict })
  return {
    limits,
    preparation,
    authorizations,
    sessionCookies: authentication.cookies,
    bindingCookies: new BindingCookies(secrets, secureCookies(dependencies)),
    loginStart: new LoginStart({ db, limits, preparation, authorizations }),
    callback: new Callback({ ...dependencies, authorizations, verification, callbackSignIn }),
    exchange: new Exchange({ db, clock, signIn: authentication.signIn }),
    lookups: new SignInLookups(db),
    callbackUrl,
    returnsRefreshToken,
    signInFloorMs: config.signInFloorMs,
  }
}

export type SsoSignIn = ReturnType<typeof createSignIn>

function secureCookies({ config, log, callbackUrl }: Pick<Dependencies, 'config' | 'log' | 'callbackUrl'>) {
  const { publicUrl } = config
  const { isSecureAlways } = config.sso
  if (isSecureAlways && publicUrl?.startsWith('http:'))
    log.warn({ publicUrl }, 'single sign-on needs https: browsers drop its cookies otherwise')
  return () => isSecureAlways || callbackUrl().startsWith('https:')
}
