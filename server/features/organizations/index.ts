export { Organizations } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
export { Sites } from './sites.ts'
