import type { Database } from '../../db/database.ts'
import type { Tenant } from '../../db/tenant.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Signal } from '../../platform/signal.ts'
import { revokeKeysOf } from '../api-keys/index.ts'
import { endSessionsOf } from '../authentication/index.ts'
import { expireKeysOf } from '../enrollment-keys/index.ts'
import type { Settling } from './settling.ts'
import { type Effect, effects } from './transitions.ts'

interface Deps {
  db: Database
  clock: Clock
  settling: Settling
  /** Said once it is saved. */
  drainBegan: Signal<Tenant>
}

/** What a new status brings about for people, keys and devices, whichever kind of tenant got it. */
export class Aftermath {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Inside the transaction that wrote the status. */
  follow(tenant: Tenant, effect: Effect): void {
    const { db, clock, settling, drainBegan } = this.#deps
    if (effects[effect].endsSessions) endSessionsOf(db, clock, tenant)
    if (effects[effect].endsKeys) {
      expireKeysOf(db, clock, tenant)
      revokeKeysOf(db, clock, tenant)
    }
    settling.follow(tenant, `${tenant.kind}_offboarding_aborted`)
    if (effect === 'drain') db.afterCommit(() => drainBegan.say(tenant))
  }
}
