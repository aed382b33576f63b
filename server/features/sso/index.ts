export { createSso } from './create-sso.ts'
export { ssoRoutes } from './routes.ts'
