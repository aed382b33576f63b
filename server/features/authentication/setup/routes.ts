import { bootstrap, bootstrapState, setupComplete } from '../../../../shared/api/system.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../../people/services.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import { signedInView } from '../sign-in/views.ts'

export function setupRoutes(http: Http, { bootstrap: first, cookies, profile }: IdentityServices): void {
  http.public(bootstrapState, () => ({ needed: first.isNeeded() }))

  http.public(bootstrap, async ({ actor, body, request, reply }) => {
    const { user, partner, issued } = await first.run(body, body.setupCode, actor.origin)
    cookies.set(request, reply, issued)
    await cookies.remember(request, reply, user)
    return { user: signedInView(user), partner, tokens: tokensView(issued) }
  })

  http.user(setupComplete, ({ actor }) => {
    profile.completeSetup(actor)
    return { success: true as const }
  })
}
