export { Organizations } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
export { assertNotFrozen, grantedOrganization, operableOrganization, writableOrganization } from './standing.ts'
export type { OrganizationRow } from './views.ts'
