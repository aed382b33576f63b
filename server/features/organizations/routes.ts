import * as contract from '../../../shared/api/organizations.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import { OrganizationList } from './organization-list.ts'
import { saveOrder } from './organization-order.ts'
import type { Organizations } from './organizations.ts'

interface Services {
  db: Database
  audit: Audit
  organizations: Organizations
}

export function organizationRoutes(http: Http, { db, audit, organizations }: Services): void {
  const list = new OrganizationList(db)
  const search = searches()
  http.user(contract.listOrganizationTree, ({ actor, reply }) => search.steps(actor, reply, list.byName(actor)))
  http.user(contract.listOrganizations, ({ actor, query, reply }) =>
    search.steps(actor, reply, list.page(actor, query)),
  )
  http.user(contract.orderOrganizations, async ({ actor, query, body }) => ({
    organizationOrder: await saveOrder(db, audit, actor, query, body),
  }))
  http.user(contract.createOrganization, ({ actor, body }) => organizations.create(actor, body))
  http.user(contract.readOrganization, ({ actor, params }) => organizations.read(actor, params.id))
  for (const change of [contract.updateOrganization, contract.replaceOrganization])
    http.user(change, ({ actor, params, body }) => organizations.update(actor, params.id, body))
  http.user(contract.deleteOrganization, ({ actor, params }) => {
    organizations.remove(actor, params.id)
    return { success: true as const }
  })
  http.user(contract.effectiveSettings, ({ actor, params }) => organizations.effectiveSettings(actor, params.id))
}
