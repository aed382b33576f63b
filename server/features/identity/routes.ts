import type { Http } from '../../platform/http/http.ts'
import { accountRoutes } from './account/routes.ts'
import { factorRoutes } from './factors/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import type { IdentityServices } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** Everything about who somebody is. */
export function identityRoutes(http: Http, services: IdentityServices): void {
  signInRoutes(http, services)
  sessionRoutes(http, services)
  factorRoutes(http, services)
  passkeyRoutes(http, services)
  accountRoutes(http, services)
  peopleRoutes(http, services)
  setupRoutes(http, services)
}
