import { readSsoTrust } from '../../../shared/api/sso-trust.ts'
import type { Database } from '../../db/database.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Domains } from './domains/domains.ts'
import { domainRoutes } from './domains/routes.ts'
import type { Links } from './links/links.ts'
import { ssoLinkRoutes } from './links/routes.ts'
import type { Trust } from './outbound/index.ts'
import type { ProviderChanges } from './providers/provider-changes.ts'
import type { ProviderTests } from './providers/provider-tests.ts'
import type { Providers } from './providers/providers.ts'
import { providerRoutes } from './providers/routes.ts'
import type { SsoSignIn } from './sign-in/create-sign-in.ts'
import { ssoSignInRoutes } from './sign-in/routes.ts'

interface Services {
  trust: Trust
  db: Database
  callbackUrl: () => string
  providers: Providers
  changes: ProviderChanges
  tests: ProviderTests
  domains: Domains
  signIn: SsoSignIn
  links: Links
}

export function ssoRoutes(http: Http, services: Services): void {
  http.user(readSsoTrust, () => ({ data: services.trust.view }))
  providerRoutes(http, services)
  domainRoutes(http, services.domains)
  ssoSignInRoutes(http, services.signIn)
  ssoLinkRoutes(http, { ...services.signIn, links: services.links })
}
