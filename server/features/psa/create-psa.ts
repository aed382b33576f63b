import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { PsaConnections } from './psa-connections.ts'
import { psaRoutes } from './routes.ts'

export function createPsa(services: Services): Module<null> {
  const connections = new PsaConnections(services)
  return { api: null, routes: (http) => psaRoutes(http, connections) }
}
