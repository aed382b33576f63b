import * as invitation from '../../../../shared/api/invitations.ts'
import * as contract from '../../../../shared/api/people.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'
import { signedInView, welcome } from '../../authentication/sign-in/views.ts'

export function peopleRoutes(http: Http, services: IdentityServices): void {
  const { people, invitations, membershipChanges, accountChanges, factorReset } = services
  http.user(contract.listUsers, async ({ actor, query }) => ({ data: await people.list(actor, query) }))
  http.user(contract.listUserRoles, ({ actor, query }) => ({ data: people.roles(actor, query) }))
  http.user(contract.readUser, ({ actor, params, query }) => people.read(actor, params.id, query))
  http.user(contract.inviteUser, ({ actor, query, body }) => invitations.invite(actor, query, body))
  http.user(contract.resendInvite, ({ actor, query, body }) => invitations.resend(actor, query, body.userId))
  http.user(contract.updateUser, ({ actor, params, body }) => accountChanges.update(actor, params.id, body))
  http.user(contract.removeUser, ({ actor, params, query }) => {
    membershipChanges.remove(actor, params.id, query)
    return { success: true as const }
  })
  http.user(contract.assignRole, ({ actor, params, query, body }) => {
    membershipChanges.assign(actor, params.id, query, body)
    return { success: true as const }
  })
  http.user(contract.resetUserMfa, ({ actor, params, query }) => {
    factorReset.reset(actor, params.id, query)
    return { success: true as const, message: 'Their second factors are gone' }
  })
  acceptanceRoutes(http, services)
}

function acceptanceRoutes(http: Http, { acceptance, cookies }: IdentityServices): void {
  http.public(invitation.previewInvite, ({ actor, body }) => acceptance.preview(body.token, actor.origin))
  http.public(invitation.previewInviteByUrl, () => {
    throw new AppError('invite_url_gone')
  })
  http.public(invitation.acceptInvite, async ({ actor, body, request, reply }) => {
    const { user, signedIn } = await acceptance.accept(body.token, body.password, actor.origin)
    if (signedIn) return welcome(signedIn, cookies, request, reply)
    const message = 'Your password is set. Sign in with it.'
    return { user: signedInView(user), tokens: null, message }
  })
}
