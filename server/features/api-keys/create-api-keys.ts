import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Access } from '../access/index.ts'
import { ApiKeys } from './api-keys.ts'
import { KeyAuthentication } from './key-callers.ts'
import { apiKeyRoutes } from './routes.ts'
import { KeyUses } from './uses.ts'

export function createApiKeys(services: Services, { allowlist }: Pick<Access, 'allowlist'>): Module<KeyAuthentication> {
  const { db, clock, log } = services
  const uses = new KeyUses(db, clock, log)
  const keys = new ApiKeys({ ...services, uses })
  return {
    api: new KeyAuthentication({ ...services, allowlist, uses }),
    routes: (http) => apiKeyRoutes(http, keys),
    stop: () => uses.flush(),
  }
}
