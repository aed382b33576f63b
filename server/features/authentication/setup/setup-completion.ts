import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { updateUser } from '../../access/index.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'

/** The caller has left the setup wizard, which is not shown to them again. */
export function completeSetup(db: Database, clock: Clock, audit: Audit, actor: UserActor): void {
  db.transaction(() => {
    if (signedInUser(db, actor).setup_completed_at !== null) return
    updateUser(db, actor.userId, { setup_completed_at: isoNow(clock) })
    audit(actor, { action: 'user.setup.complete', resourceType: 'user', resourceId: actor.userId })
  })
}
