import { acceptInvitation, declineInvitation, listInvitations } from '../../../../shared/api/invitations.ts'
import { enterMembership, listMemberships } from '../../../../shared/api/memberships.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../../people/services.ts'
import { tokensView } from '../sessions/token-pairs.ts'

export function membershipRoutes(http: Http, { memberships, invitationReplies }: IdentityServices): void {
  http.user(listMemberships, ({ actor }) => ({ data: memberships.list(actor) }))
  http.user(enterMembership, async ({ actor, params }) => ({
    tokens: tokensView({ accessToken: await memberships.enter(actor, params.id) }),
  }))
  http.user(listInvitations, ({ actor }) => invitationReplies.list(actor))
  http.user(acceptInvitation, ({ actor, params, body }) => ({
    membershipId: invitationReplies.accept(actor, params.id, body.token),
  }))
  http.user(declineInvitation, ({ actor, params, body }) => {
    invitationReplies.decline(actor, params.id, body.token)
    return { success: true as const }
  })
}
