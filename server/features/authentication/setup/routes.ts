import { bootstrap as bootstrapEndpoint, bootstrapState, setupComplete } from '../../../../shared/api/system.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import { signedInView } from '../sign-in/views.ts'
import type { Bootstrap } from './bootstrap.ts'
import { usedAddress } from './used-address.ts'

interface Services {
  bootstrap: Bootstrap
  cookies: SessionCookies
  completeSetup: (actor: UserActor) => void
}

export function setupRoutes(http: Http, { bootstrap, cookies, completeSetup }: Services): void {
  http.public(bootstrapState, () => ({ needed: bootstrap.isNeeded() }))

  http.public(bootstrapEndpoint, async ({ actor, body, request, reply }) => {
    const { user, partner, issued } = await bootstrap.run(body, {
      setupCode: body.setupCode,
      address: usedAddress(request),
      openRegistration: body.openRegistration,
      origin: actor.origin,
    })
    cookies.set(request, reply, issued)
    await cookies.remember(request, reply, user)
    return { user: signedInView(user), partner, tokens: tokensView(issued) }
  })

  http.user(setupComplete, ({ actor }) => {
    completeSetup(actor)
    return { success: true as const }
  })
}
