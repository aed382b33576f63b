import * as contract from '../../../../shared/api/sso-domains.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { Domains } from './domains.ts'

export function domainRoutes(http: Http, domains: Domains): void {
  http.user(contract.listSsoDomains, ({ actor, query }) => ({ data: domains.list(actor, query.orgId) }))
  http.user(contract.addSsoDomain, ({ actor, query, body }) => ({ data: domains.add(actor, query.orgId, body) }))
  http.user(contract.verifySsoDomain, async ({ actor, params }) => ({ data: await domains.verify(actor, params.id) }))
  http.user(contract.deleteSsoDomain, ({ actor, params }) => {
    domains.remove(actor, params.id)
    return { data: { deleted: true as const } }
  })
}
