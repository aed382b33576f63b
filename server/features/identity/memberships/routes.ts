import { enterMembership, listMemberships } from '../../../../shared/api/memberships.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'
import { tokensView } from '../sessions/pairs.ts'

export function membershipRoutes(http: Http, { memberships }: IdentityServices): void {
  http.user(listMemberships, ({ actor }) => ({ data: memberships.list(actor) }))
  http.user(enterMembership, async ({ actor, params }) => ({
    tokens: tokensView({ accessToken: await memberships.enter(actor, params.id) }),
  }))
}
