import * as contract from '../../../shared/api/organizations.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Organizations } from './organizations.ts'

export function organizationRoutes(http: Http, organizations: Organizations): void {
  http.user(contract.listOrganizationTree, ({ actor }) => ({ data: organizations.tree(actor) }))
  http.user(contract.listOrganizations, ({ actor, query }) => organizations.list(actor, query))
  http.user(contract.createOrganization, ({ actor, body }) => organizations.create(actor, body))
  http.user(contract.readOrganization, ({ actor, params }) => organizations.read(actor, params.id))
  http.user(contract.updateOrganization, ({ actor, params, body }) => organizations.update(actor, params.id, body))
}
