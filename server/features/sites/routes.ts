import * as contract from '../../../shared/api/sites.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Sites } from './sites.ts'

export function siteRoutes(http: Http, sites: Sites): void {
  const search = searches()
  http.user(contract.listSites, ({ actor, query, reply }) => search.steps(actor, reply, sites.list(actor, query)))
  http.user(contract.createSite, ({ actor, body }) => sites.create(actor, body))
  http.user(contract.readSite, ({ actor, params }) => sites.read(actor, params.id))
  http.user(contract.updateSite, ({ actor, params, body }) => sites.update(actor, params.id, body))
  http.user(contract.deleteSite, ({ actor, params }) => {
    sites.remove(actor, params.id)
    return { success: true as const }
  })
}
