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

export function authenticationRoutes(http: Http, services: AuthenticationServices): void {
  signInRoutes(http, services)
  sessionRoutes(http, services)
  factorRoutes(http, services)
  passkeyRoutes(http, services)
  passwordRoutes(http, services)
  registrationRoutes(http, services)
  profileRoutes(http, services)
  membershipRoutes(http, services.memberships)
  invitationAcceptanceRoutes(http, services)
  setupRoutes(http, services)
}
