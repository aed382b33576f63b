import type { Database } from '../../../db/database.ts'
import { findProvider, isOwnerUsable, type Journey, ownerOf, type Provider } from '../store.ts'
import { Refusal } from './refusal.ts'

/**
 * The provider of a journey as it is now: still the one that the journey began with, switched on, its owner open. Asked
 * when a browser comes back and again in the transaction that writes what came of it: half a minute may lie between.
 * @throws Refusal
 */
export function liveProvider(db: Database, journey: Journey): Provider {
  const provider = findProvider(db, journey.provider_id)
  if (!provider) throw new Refusal('provider_not_found')
  const isOn = provider.status === 'active' || (provider.status === 'testing' && journey.mode === 'link')
  if (!isOn) throw new Refusal('sso_provider_inactive')
  if (provider.config_version !== journey.provider_version) throw new Refusal('sso_config_changed')
  if (!isOwnerUsable(db, ownerOf(provider))) throw new Refusal('tenant_inactive')
  return provider
}
