import * as contract from '../../../../shared/api/people.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'

export function peopleRoutes(http: Http, { people, factorReset }: IdentityServices): void {
  http.user(contract.listUsers, ({ actor, query }) => ({ data: people.list(actor, query) }))
  http.user(contract.readUser, ({ actor, params, query }) => people.read(actor, params.id, query))
  http.user(contract.resetUserMfa, ({ actor, params, query }) => {
    factorReset.reset(actor, params.id, query)
    return { success: true as const, message: 'Their second factors are gone' }
  })
}
