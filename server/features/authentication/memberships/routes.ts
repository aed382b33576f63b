import { enterMembership, listMemberships } from '../../../../shared/api/memberships.ts'
import type { Http } from '../../../platform/http/http.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import type { OwnMemberships } from './own-memberships.ts'

export function membershipRoutes(http: Http, memberships: OwnMemberships): void {
  http.user(listMemberships, ({ actor }) => ({ data: memberships.list(actor) }))
  http.user(enterMembership, async ({ actor, params }) => ({
    tokens: tokensView({ accessToken: await memberships.enter(actor, params.id) }),
  }))
}
