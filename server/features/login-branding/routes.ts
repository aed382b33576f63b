import * as contract from '../../../shared/api/login-branding.ts'
import { limitKey } from '../../platform/client-address.ts'
import type { Http } from '../../platform/http/http.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { LoginBranding } from './login-branding.ts'

export function brandingRoutes(http: Http, branding: LoginBranding, limits: RateLimits): void {
  http.user(contract.readLoginBranding, ({ actor }) => ({ data: branding.own(actor) }))
  http.user(contract.replaceLoginBranding, ({ actor, body }) => ({ data: branding.replace(actor, body) }))
  http.public(
    contract.loginContext,
    ({ request, reply }) => {
      try {
        const context = branding.context()
        reply.header('cache-control', 'public, max-age=60')
        return context
      } catch (error) {
        // A plain page to sign in on is worth more than an error.
        request.log.error({ err: error }, 'The branding of the sign-in page could not be read')
        return { branding: null, partnerSso: null }
      }
    },
    ({ ip }) => limits.consume('login_context', limitKey(ip)),
  )
}
