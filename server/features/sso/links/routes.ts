import * as contract from '../../../../shared/api/sso-links.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { BindingCookies } from '../sign-in/cookies.ts'
import type { Links } from './links.ts'

interface Services {
  links: Links
  bindingCookies: BindingCookies
  callbackUrl: () => string
}

export function ssoLinkRoutes(http: Http, { links, bindingCookies, callbackUrl }: Services): void {
  http.user(contract.listSsoLinkOptions, ({ actor }) => ({ data: links.options(actor) }))

  http.user(contract.startSsoLink, async ({ actor, params, request, reply }) => {
    assertAtCallbackHost(request.headers.origin, callbackUrl())
    const { address, state } = await links.start(actor, params.providerId)
    bindingCookies.set(reply, 'state', state)
    return { authUrl: address }
  })

  http.user(contract.listSsoIdentities, ({ actor }) => ({ data: links.identities(actor) }))

  http.user(contract.deleteSsoIdentity, ({ actor, params }) => {
    links.unlink(actor, params.id)
    return { success: true as const }
  })
}

/** A page opened under another name of the appliance would get a cookie that is not sent to the callback. */
function assertAtCallbackHost(origin: string | undefined, callbackUrl: string): void {
  const callback = new URL(callbackUrl)
  if (origin === undefined || URL.parse(origin)?.hostname === callback.hostname) return
  const message = `Open ${callback.origin} to connect your account: identity providers send people back there`
  throw new AppError('sso_link_elsewhere', { error: message, message, address: callback.origin })
}
