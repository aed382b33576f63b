import { readSsoTrust } from '../../../shared/api/sso-trust.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Sso } from './create-sso.ts'
import { domainRoutes } from './domains/routes.ts'
import { ssoLinkRoutes } from './links/routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { ssoSignInRoutes } from './sign-in/routes.ts'

export function ssoRoutes(http: Http, sso: Sso): void {
  http.user(readSsoTrust, () => ({ data: sso.trust.view }))
  providerRoutes(http, sso)
  domainRoutes(http, sso.domains)
  ssoSignInRoutes(http, sso.signIn)
  ssoLinkRoutes(http, { ...sso.signIn, links: sso.links })
}
