import * as contract from '../../../../shared/api/people.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { AccountChanges } from './account-changes.ts'
import type { FactorReset } from './factor-reset.ts'
import type { MembershipChanges } from './membership-changes.ts'
import type { People } from './people.ts'

interface Services {
  people: People
  membershipChanges: MembershipChanges
  accountChanges: AccountChanges
  factorReset: FactorReset
}

export function memberRoutes(http: Http, services: Services): void {
  const { people, membershipChanges, accountChanges, factorReset } = services
  http.user(contract.listUsers, async ({ actor, query }) => ({ data: await people.list(actor, query) }))
  http.user(contract.listUserRoles, ({ actor, query }) => ({ data: people.roles(actor, query) }))
  http.user(contract.readUser, ({ actor, params, query }) => people.read(actor, params.id, query))
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
    return { success: true as const, message: 'All second factors of this person were removed' }
  })
}
