import { login, logout } from '../../../../shared/api/auth.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../../people/services.ts'
import { knownBrowserCookie, refreshCookie } from '../sessions/cookies.ts'
import { challengeView, welcome } from './views.ts'

export function signInRoutes(http: Http, services: IdentityServices): void {
  const { cookies, signIn, signOut, relyingParty } = services

  http.public(login, async ({ actor, body, request, reply }) => {
    const rpId = relyingParty.at(request)?.id ?? null
    const browser = request.cookies[knownBrowserCookie]
    const arrival = { origin: actor.origin, rpId, browser, inviteToken: body.inviteToken }
    const outcome = await signIn.withPassword(body.email, body.password, arrival)
    return 'tempToken' in outcome ? challengeView(outcome) : welcome(outcome, cookies, request, reply)
  })

  http.user(
    logout,
    ({ actor, request, reply }) => {
      cookies.clear(request, reply)
      signOut.ofActor(actor, actor.orgId)
      return { success: true as const }
    },
    async (request, reply) => {
      cookies.clear(request, reply)
      await signOut.ofHolder(request.cookies[refreshCookie], request.origin)
    },
  )
}
