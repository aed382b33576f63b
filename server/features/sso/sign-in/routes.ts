import type { FastifyReply, FastifyRequest } from 'fastify'
import * as contract from '../../../../shared/api/sso-sign-in.ts'
import type { SsoErrorCode } from '../../../../shared/sso-codes.ts'
import { notBefore } from '../../../lib/response-floor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import { tokensView } from '../../authentication/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import type { SsoSignIn } from './create-sign-in.ts'
import type { LoginOptions } from './login-start.ts'

export function ssoSignInRoutes(http: Http, services: SsoSignIn): void {
  const { limits, bindingCookies, callback, exchange, lookups } = services

  http.public(
    contract.ssoCheck,
    ({ params }) => lookups.check(params.orgId),
    ({ ip }) => limits.consume('sso_check', limitKey(ip)),
  )

  // Registered first, because its path also matches that of an organization.
  http.public(contract.ssoLoginOfPartner, ({ params, query, request, reply }) =>
    goToProvider(services, { orgId: null, partnerId: params.partnerId }, query, request, reply),
  )
  http.public(contract.ssoLogin, ({ params, query, request, reply }) =>
    goToProvider(services, { orgId: params.orgId, partnerId: null }, query, request, reply),
  )

  http.public(contract.ssoCallback, async ({ actor, query, request, reply }) => {
    bindingCookies.clear(reply, 'state')
    const { location, code } = await callback.handle({
      parameters: query,
      query: request.url.slice(request.url.indexOf('?') + 1),
      isBound: (state) => bindingCookies.matches(request, 'state', state),
      origin: actor.origin,
    })
    if (code !== undefined) bindingCookies.set(reply, 'exchange', code)
    return location
  })

  http.public(
    contract.ssoExchange,
    async ({ actor, body, request, reply }) => {
      bindingCookies.clear(reply, 'exchange')
      // Browsers send an Origin header; a client that does not is no browser, and got the code itself.
      const isBound = request.headers.origin === undefined || bindingCookies.matches(request, 'exchange', body.code)
      const { issued } = await exchange.redeem(body.code, isBound, actor.origin)
      services.sessionCookies.set(request, reply, issued)
      return { ...tokensView(issued), ...(services.returnsRefreshToken && { refreshToken: issued.refreshToken }) }
    },
    ({ ip }) => limits.consume('sso_exchange', limitKey(ip)),
  )

  http.public(
    contract.ssoDiscovery,
    ({ body, request }) =>
      notBefore(services.signInFloorMs, async () => {
        try {
          return lookups.discover(body.email)
        } catch (error) {
          // The sign-in page works without it, so it gets no error.
          request.log.error({ err: error }, 'the identity provider of a domain could not be looked up')
          return { sso: null }
        }
      }),
    ({ ip }) => limits.consume('sso_discovery', limitKey(ip)),
  )
}

async function goToProvider(
  { loginStart, bindingCookies, callbackUrl }: SsoSignIn,
  owner: ProviderOwner,
  options: LoginOptions & { moved?: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const isBrowser = request.headers['sec-fetch-mode'] === 'navigate'
  const callback = new URL(callbackUrl())
  // The cookie is kept for the name that the provider sends the browser back to. Asked for once: a proxy may rename us.
  if (isBrowser && request.hostname !== callback.hostname && options.moved === undefined)
    return sameRequestAt(callback.origin, request.url)
  try {
    const { address, state } = await loginStart.begin(owner, options, request.origin)
    bindingCookies.set(reply, 'state', state)
    return address
  } catch (error) {
    // Somebody who followed a link is better served by the page than by JSON.
    if (isBrowser && error instanceof AppError) return `/login?error=${pageCodeOf(error)}`
    throw error
  }
}

function sameRequestAt(origin: string, url: string): string {
  const target = new URL(origin)
  const [path = '', query = ''] = url.split('?')
  target.pathname = path
  target.search = query
  target.searchParams.set('moved', '1')
  return target.href
}

function pageCodeOf({ code, status }: AppError): SsoErrorCode {
  if (status === 429) return 'rate_limited'
  return status === 404 || code === 'sso_login_oidc_only' ? 'sso_unavailable' : 'sso_not_ready'
}
