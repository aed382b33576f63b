import type { Http } from '../../platform/http/http.ts'
import { factorRoutes } from './factors/routes.ts'
import { invitationAcceptanceRoutes } from './invitation-acceptance/routes.ts'
import { membershipRoutes } from './memberships/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { profileRoutes } from './profile/routes.ts'
import { registrationRoutes } from './registration/routes.ts'
import type { AuthenticationServices } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** The routes of each folder get the services of that folder, and of others what they name. */
export function authenticationRoutes(http: Http, services: AuthenticationServices): void {
  const { sessions, passwords, factors, passkeys, signIn, registration, account, invitations, setup } = services
  const { relyingParty } = services
  const { cookies } = sessions
  const { totpSetup, stepUp } = factors
  signInRoutes(http, { ...signIn, cookies, relyingParty, totpSetup, stepUp })
  sessionRoutes(http, sessions)
  factorRoutes(http, { ...factors, cookies, relyingParty })
  passkeyRoutes(http, { ...passkeys, cookies, relyingParty })
  passwordRoutes(http, { ...passwords, cookies })
  registrationRoutes(http, { ...registration, cookies, relyingParty, addressLinks: account.addressLinks })
  profileRoutes(http, account)
  membershipRoutes(http, account.memberships)
  invitationAcceptanceRoutes(http, { invitationAcceptance: invitations.acceptance, cookies })
  setupRoutes(http, { ...setup, cookies })
}
