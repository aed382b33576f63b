import * as contract from '../../../shared/api/partners.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Partners } from './partners.ts'

export function partnerRoutes(http: Http, partners: Partners): void {
  http.user(contract.readOwnPartner, ({ actor }) => partners.own(actor))
  http.user(contract.updateOwnPartner, ({ actor, body }) => partners.updateOwn(actor, body))
  http.user(contract.previewSecurity, ({ actor, body }) => partners.previewSecurity(actor, body))
  http.user(contract.ipAllowlistStatus, ({ actor }) => partners.allowlistStatus(actor))
  http.user(contract.partnerStanding, ({ actor }) => partners.standing(actor))
}
