import { notFound } from '../../platform/http/failures.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import { accountRoutes, avatarRoutes } from './account/routes.ts'
import { factorRoutes } from './factors/routes.ts'
import { membershipRoutes } from './memberships/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { registrationRoutes } from './registration/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import type { IdentityServices } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** Everything about who somebody is. */
export function identityRoutes(http: Http, services: IdentityServices): void {
  if (!services.isTwoFactorEnabled) closeSecondFactors(http)
  signInRoutes(http, services)
  sessionRoutes(http, services)
  factorRoutes(http, services)
  passkeyRoutes(http, services)
  passwordRoutes(http, services)
  registrationRoutes(http, services)
  accountRoutes(http, services)
  avatarRoutes(http, services)
  peopleRoutes(http, services)
  membershipRoutes(http, services)
  roleRoutes(http, services)
  setupRoutes(http, services)
}

const ofSecondFactors = ['/auth/mfa/', '/auth/phone/', '/auth/passkeys'].map((path) => `${apiPrefix}${path}`)

/** An appliance that was told to do without second factors has none of their addresses. */
function closeSecondFactors({ app }: Http): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isClosed = ofSecondFactors.some((path) => request.routeOptions.url?.startsWith(path))
    done(isClosed ? notFound(request.url) : undefined)
  })
}
