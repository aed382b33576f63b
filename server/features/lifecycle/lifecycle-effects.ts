import type { Database } from '../../db/database.ts'
import type { Tenant } from '../../db/tenant.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Signal } from '../../platform/signal.ts'
import { revokeKeysOf } from '../api-keys/index.ts'
import { endSessionsOf } from '../authentication/index.ts'
import { expireKeysOf } from '../enrollment-keys/index.ts'
import type { DeviceSync } from './device-sync.ts'
import { type Effect, effects } from './transitions.ts'

interface LifecycleEffectServices {
  db: Database
  clock: Clock
  deviceSync: DeviceSync
  /** Said once it is saved. */
  drainBegan: Signal<Tenant>
}

/** What a new status brings about for people, keys and devices, whichever kind of tenant got it. */
export class LifecycleEffects {
  readonly #services: LifecycleEffectServices

  constructor(services: LifecycleEffectServices) {
    this.#services = services
  }

  /** Inside the transaction that wrote the status. */
  apply(tenant: Tenant, effect: Effect): void {
    const { db, clock, deviceSync, drainBegan } = this.#services
    if (effects[effect].endsSessions) endSessionsOf(db, clock, tenant)
    if (effects[effect].endsKeys) {
      expireKeysOf(db, clock, tenant)
      revokeKeysOf(db, clock, tenant)
    }
    deviceSync.syncSoon(tenant, `${tenant.kind}_offboarding_aborted`)
    if (effect === 'drain') db.afterCommit(() => drainBegan.say(tenant))
  }
}
