export { organizationMeant } from './meant.ts'
export { Organizations } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
export {
  assertNoMergeInto,
  assertNotFrozen,
  frozenBecause,
  grantedOrganization,
  isGranted,
  operableOrganization,
  writableOrganization,
} from './standing.ts'
export type { OrganizationRow } from './views.ts'
