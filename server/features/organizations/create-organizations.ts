import type { FoundOrganization } from '../../../shared/api/search.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ContactProjections } from '../contacts/index.ts'
import type { OrganizationLife } from '../lifecycle/index.ts'
import type { AssertNobodyLockedOut } from '../partners/index.ts'
import { BestOrganizations } from './best-organizations.ts'
import { Organizations } from './organizations.ts'
import { organizationRoutes } from './routes.ts'

interface OrganizationsDependencies {
  life: OrganizationLife
  projections: ContactProjections
  assertNobodyLockedOut: AssertNobodyLockedOut
}

export interface OrganizationServices {
  findOrganizations: Find<FoundOrganization>
}

export function createOrganizations(
  { db, clock, audit }: Services,
  dependencies: OrganizationsDependencies,
): Module<OrganizationServices> {
  const organizations = new Organizations({ db, clock, audit, ...dependencies })
  const best = new BestOrganizations(db)
  const findOrganizations: Find<FoundOrganization> = (actor, text, limit) => best.find(actor, text, limit)
  return { api: { findOrganizations }, routes: (http) => organizationRoutes(http, { db, audit, organizations }) }
}
