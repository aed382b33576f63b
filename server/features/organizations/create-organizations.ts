import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ContactProjections } from '../contacts/index.ts'
import type { OrganizationLife } from '../lifecycle/index.ts'
import type { AssertNobodyLockedOut } from '../partners/index.ts'
import { Organizations } from './organizations.ts'
import { organizationRoutes } from './routes.ts'

interface OrganizationsDependencies {
  life: OrganizationLife
  projections: ContactProjections
  assertNobodyLockedOut: AssertNobodyLockedOut
}

export function createOrganizations(
  { db, clock, audit }: Services,
  dependencies: OrganizationsDependencies,
): Module<null> {
  const organizations = new Organizations({ db, clock, audit, ...dependencies })
  return { api: null, routes: (http) => organizationRoutes(http, { db, audit, organizations }) }
}
