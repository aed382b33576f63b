import type { UserActor } from '../../platform/actor.ts'
import type { Http } from '../../platform/http/http.ts'
import { checksBy } from './link-checks.ts'
import { Identities } from './request-identity/identities.ts'
import { authenticationRoutes } from './routes.ts'
import { type AuthenticationDependencies, createServices } from './services.ts'
import { sessionJobs } from './sessions/jobs.ts'
import { signedInUser } from './sessions/signed-in-user.ts'

export type Authentication = ReturnType<typeof createAuthentication>

/** Signing in and everything that belongs to it: sessions, passwords, factors, registration, first set-up. */
export function createAuthentication(dependencies: AuthenticationDependencies) {
  const { db, clock, audit, limits, access, messaging } = dependencies
  const services = createServices(dependencies)
  const { reauthentication, sessions, bootstrap, cookies, signIn, invitationLinks } = services
  messaging.liveLinks.checkWith(
    checksBy({
      email_verification: (token) => services.emailVerification.check(token),
      invite: (token) => invitationLinks.open(token, { dead: 'invite_invalid', used: 'invite_used' }),
      password_reset: (token) => services.resetLinks.open(token),
      pending_registration: (token) => services.emailVerification.check(token),
    }),
  )
  return {
    identities: new Identities(db, clock, services.tokens, access.policy, access.allowlist, audit),
    bootstrap,
    cookies,
    signIn,
    sessions,
    invitationLinks,
    /** Re-authentication for changes of other features through which an account could be taken over. */
    assertOwner: (actor: UserActor, password: string | undefined) =>
      reauthentication.assertOwner(actor, signedInUser(db, actor), password, 'settings'),
    routes: (http: Http) => authenticationRoutes(http, services),
    jobs: sessionJobs(sessions, limits),
  }
}
