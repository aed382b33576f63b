import * as contract from '../../../shared/api/partners.ts'
import type { Http } from '../../platform/http/http.ts'
import type { AllPartners } from './all-partners.ts'
import type { Partners } from './partners.ts'

export function partnerRoutes(http: Http, partners: Partners, all: AllPartners): void {
  http.user(contract.readOwnPartner, ({ actor }) => partners.own(actor))
  http.user(contract.updateOwnPartner, ({ actor, body }) => partners.updateOwn(actor, body))
  http.user(contract.previewSecurity, ({ actor, body }) => partners.previewSecurity(actor, body))
  http.user(contract.ipAllowlistStatus, ({ actor }) => partners.allowlistStatus(actor))
  http.user(contract.partnerStanding, ({ actor }) => partners.standing(actor))
  http.user(contract.listPartners, ({ query }) => all.list(query))
  http.user(contract.createPartner, ({ actor, body }) => all.create(actor, body))
  http.user(contract.readPartner, ({ params }) => all.read(params.id))
  http.user(contract.updatePartner, ({ actor, params, body }) => all.update(actor, params.id, body))
  http.user(contract.removePartner, ({ actor, params }) => all.remove(actor, params.id))
}
