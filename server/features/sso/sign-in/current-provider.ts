import type { Database } from '../../../db/database.ts'
import { type AuthorizationRequest, findProvider, isOwnerUsable, ownerOf, type Provider } from '../provider/store.ts'
import { Refusal } from './refusal.ts'

/**
 * The provider of a request, if it is unchanged since the request began, enabled, and its owner open. Called when the
 * browser comes back, and again in the transaction that saves the outcome, because verification takes time.
 * @throws Refusal
 */
export function currentProvider(db: Database, request: AuthorizationRequest): Provider {
  const provider = findProvider(db, request.provider_id)
  if (!provider) throw new Refusal('provider_not_found')
  const isUsable = provider.status === 'active' || (provider.status === 'testing' && request.mode === 'link')
  if (!isUsable) throw new Refusal('sso_provider_inactive')
  if (provider.config_version !== request.provider_version) throw new Refusal('sso_config_changed')
  if (!isOwnerUsable(db, ownerOf(provider))) throw new Refusal('tenant_inactive')
  return provider
}
