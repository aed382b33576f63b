export { siteRoutes } from './routes.ts'
export { Sites } from './sites.ts'
