import type { UserActor } from '../../platform/actor.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { checksBy } from './link-checks.ts'
import { Identities } from './request-identity/identities.ts'
import { authenticationRoutes } from './routes.ts'
import { type AuthenticationDependencies, createAuthenticationServices } from './services.ts'
import { sessionJobs } from './sessions/jobs.ts'
import { signedInUser } from './sessions/signed-in-user.ts'

export type Authentication = ReturnType<typeof createAuthentication>['api']

/** Signing in and everything that belongs to it: sessions, passwords, factors, registration, first set-up. */
export function createAuthentication(platform: Services, dependencies: AuthenticationDependencies) {
  const { db, clock, audit, limits } = platform
  const { access, messaging } = dependencies
  const services = createAuthenticationServices(platform, dependencies)
  const { factors, invitations, passwords, registration, sessions, setup, signIn } = services
  messaging.liveLinks.checkWith(
    checksBy({
      email_verification: (token) => registration.emailVerification.check(token),
      invite: (token) => invitations.links.open(token, { invalid: 'invite_invalid', used: 'invite_used' }),
      password_reset: (token) => passwords.resetLinks.open(token),
      pending_registration: (token) => registration.emailVerification.check(token),
    }),
  )
  const api = {
    identities: new Identities(db, clock, sessions.tokens, access.policy, access.allowlist, audit),
    bootstrap: setup.bootstrap,
    cookies: sessions.cookies,
    signIn: signIn.signIn,
    sessions: sessions.sessions,
    invitationLinks: invitations.links,
    /** Re-authentication for changes of other features through which an account could be taken over. */
    assertOwner: (actor: UserActor, password: string | undefined) =>
      factors.reauthentication.assertOwner(actor, signedInUser(db, actor), password, 'settings'),
  }
  return {
    api,
    routes: (http) => authenticationRoutes(http, services),
    jobs: sessionJobs(sessions.sessions, limits),
  } satisfies Module<typeof api>
}
