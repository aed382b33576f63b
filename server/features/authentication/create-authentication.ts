import type { UserActor } from '../../platform/actor.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { checksBy } from './link-checks.ts'
import { Identities } from './request-identity/identities.ts'
import { authenticationRoutes } from './routes.ts'
import { type AuthenticationNeeds, createAuthenticationServices } from './services.ts'
import { sessionJobs } from './sessions/jobs.ts'
import { signedInUser } from './sessions/signed-in-user.ts'

export type Authentication = ReturnType<typeof createAuthentication>['api']

/** Signing in and everything that belongs to it: sessions, passwords, factors, registration, first set-up. */
export function createAuthentication(platform: Services, needs: AuthenticationNeeds) {
  const { db, clock, audit, limits } = platform
  const { access, messaging } = needs
  const services = createAuthenticationServices(platform, needs)
  const { reauthentication, sessions, bootstrap, cookies, signIn, invitationLinks } = services
  messaging.liveLinks.checkWith(
    checksBy({
      email_verification: (token) => services.emailVerification.check(token),
      invite: (token) => invitationLinks.open(token, { dead: 'invite_invalid', used: 'invite_used' }),
      password_reset: (token) => services.resetLinks.open(token),
      pending_registration: (token) => services.emailVerification.check(token),
    }),
  )
  const api = {
    identities: new Identities(db, clock, services.tokens, access.policy, access.allowlist, audit),
    bootstrap,
    cookies,
    signIn,
    sessions,
    invitationLinks,
    /** Re-authentication for changes of other features through which an account could be taken over. */
    assertOwner: (actor: UserActor, password: string | undefined) =>
      reauthentication.assertOwner(actor, signedInUser(db, actor), password, 'settings'),
  }
  return {
    api,
    routes: (http) => authenticationRoutes(http, services),
    jobs: sessionJobs(sessions, limits),
  } satisfies Module<typeof api>
}
