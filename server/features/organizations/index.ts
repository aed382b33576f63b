export { Organizations } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
