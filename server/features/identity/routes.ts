import type { Http } from '../../platform/http/http.ts'
import { accountRoutes } from './account/routes.ts'
import { factorRoutes } from './factors/routes.ts'
import type { IdentityServices } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** Everything about who somebody is. */
export function identityRoutes(http: Http, services: IdentityServices): void {
  signInRoutes(http, services)
  sessionRoutes(http, services)
  factorRoutes(http, services)
  accountRoutes(http, services)
  setupRoutes(http, services)
}
