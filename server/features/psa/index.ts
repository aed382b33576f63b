export { PsaConnections } from './psa-connections.ts'
export { psaRoutes } from './routes.ts'
