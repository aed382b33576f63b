import { acceptInvitation, declineInvitation, listInvitations } from '../../../../shared/api/invitations.ts'
import { inviteUser, resendInvite } from '../../../../shared/api/people.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { Invitations } from './invitations.ts'
import type { InvitationReplies } from './replies.ts'

export function invitationRoutes(
  http: Http,
  { invitations, invitationReplies }: { invitations: Invitations; invitationReplies: InvitationReplies },
): void {
  http.user(inviteUser, ({ actor, query, body }) => invitations.invite(actor, query, body))
  http.user(resendInvite, ({ actor, query, body }) => invitations.resend(actor, query, body.userId))
  http.user(listInvitations, ({ actor }) => invitationReplies.list(actor))
  http.user(acceptInvitation, ({ actor, params, body }) => ({
    membershipId: invitationReplies.accept(actor, params.id, body.token),
  }))
  http.user(declineInvitation, ({ actor, params, body }) => {
    invitationReplies.decline(actor, params.id, body.token)
    return { success: true as const }
  })
}
