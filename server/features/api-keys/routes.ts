import * as contract from '../../../shared/api/api-keys.ts'
import type { Http } from '../../platform/http/http.ts'
import type { ApiKeys } from './api-keys.ts'

export function apiKeyRoutes(http: Http, keys: ApiKeys): void {
  http.user(contract.listApiKeys, ({ actor, query }) => keys.list(actor, query))
  http.user(contract.createApiKey, ({ actor, body }) => keys.create(actor, body))
  http.user(contract.readApiKey, ({ actor, params }) => keys.read(actor, params.id))
  http.user(contract.updateApiKey, ({ actor, params, body }) => keys.update(actor, params.id, body))
  http.user(contract.revokeApiKey, ({ actor, params }) => keys.revoke(actor, params.id))
  http.user(contract.rotateApiKey, ({ actor, params }) => keys.rotate(actor, params.id))
}
