import { acceptInvite, previewInvite, previewInviteByUrl } from '../../../../shared/api/invitations.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import { signedInView, signInReply } from '../sign-in/views.ts'
import type { InvitationAcceptance } from './invitation-acceptance.ts'

export function invitationAcceptanceRoutes(
  http: Http,
  { invitationAcceptance, cookies }: { invitationAcceptance: InvitationAcceptance; cookies: SessionCookies },
): void {
  http.public(previewInvite, ({ actor, body }) => invitationAcceptance.preview(body.token, actor.origin))

  http.public(previewInviteByUrl, () => {
    throw new AppError('invite_url_gone')
  })

  http.public(acceptInvite, async ({ actor, body, request, reply }) => {
    const { user, signedIn } = await invitationAcceptance.accept(body.token, body.password, actor.origin)
    if (signedIn) return signInReply(signedIn, cookies, request, reply)
    const message = 'Your password is set. Sign in with it.'
    return { user: signedInView(user), tokens: null, message }
  })
}
