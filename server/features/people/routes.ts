import { notFound } from '../../platform/http/failures.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import { accountRoutes, avatarRoutes } from '../authentication/profile/routes.ts'
import { factorRoutes } from '../authentication/factors/routes.ts'
import { membershipRoutes } from '../authentication/memberships/routes.ts'
import { passkeyRoutes } from '../authentication/passkeys/routes.ts'
import { passwordRoutes } from '../authentication/passwords/routes.ts'
import { peopleRoutes } from './members/routes.ts'
import { registrationRoutes } from '../authentication/registration/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import type { IdentityServices } from './services.ts'
import { sessionRoutes } from '../authentication/sessions/routes.ts'
import { setupRoutes } from '../authentication/setup/routes.ts'
import { signInRoutes } from '../authentication/sign-in/routes.ts'

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
