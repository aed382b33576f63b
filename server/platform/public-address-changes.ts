import type { Database } from '../db/database.ts'
import type { Actor } from './actor.ts'
import type { Audit } from './audit.ts'
import type { Log } from './log.ts'
import type { PublicAddress } from './public-address.ts'
import type { Tls } from './tls/index.ts'

interface Dependencies {
  db: Database
  audit: Audit
  log: Log
  tls: Tls | null
  publicAddress: PublicAddress
}

/** Sets the public address, which the certificate of the appliance then names. */
export class PublicAddressChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** `origin` in canonical form; null for the first address of the appliance. */
  change(actor: Actor, origin: string | null): void {
    const { db, audit, log, tls, publicAddress } = this.#dependencies
    db.transaction(() => {
      const before = publicAddress.stored()
      publicAddress.store(origin)
      audit(actor, {
        action: 'platform_admin.public_address',
        resourceType: 'settings',
        resourceName: 'public_address',
        details: { before, after: origin },
      })
      db.afterCommit(() => tls?.tick().catch((err) => log.error({ err }, 'The certificate was not brought up to date')))
    })
  }
}
