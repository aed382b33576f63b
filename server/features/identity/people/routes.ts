import * as invitations from '../../../../shared/api/invitations.ts'
import * as memberships from '../../../../shared/api/memberships.ts'
import * as contract from '../../../../shared/api/people.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'

export function peopleRoutes(http: Http, { people, factorReset }: IdentityServices): void {
  http.user(contract.listUsers, ({ actor, query }) => ({ data: people.list(actor, query) }))
  // Until their services are there, within the hour.
  const later = () => {
    throw new AppError('unavailable')
  }
  http.user(contract.listUserRoles, later)
  http.user(contract.inviteUser, later)
  http.user(contract.resendInvite, later)
  http.user(contract.updateUser, later)
  http.user(contract.removeUser, later)
  http.user(contract.assignRole, later)
  http.public(invitations.previewInvite, later)
  http.public(invitations.previewInviteByUrl, later)
  http.public(invitations.acceptInvite, later)
  http.user(memberships.listMemberships, later)
  http.user(memberships.enterMembership, later)
  http.user(contract.readUser, ({ actor, params, query }) => people.read(actor, params.id, query))
  http.user(contract.resetUserMfa, ({ actor, params, query }) => {
    factorReset.reset(actor, params.id, query)
    return { success: true as const, message: 'Their second factors are gone' }
  })
}
