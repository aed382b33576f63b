import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin, PersonActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Rotation } from '../sessions/refresh-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { orgIdOf } from '../../access/users/store.ts'
import { personOf } from '../../access/memberships/person.ts'

/** Ends everything somebody is signed in to. */
export class SignOut {
  readonly #db: Database
  readonly #audit: Audit
  readonly #sessions: Sessions
  readonly #rotation: Rotation

  constructor(db: Database, audit: Audit, sessions: Sessions, rotation: Rotation) {
    this.#db = db
    this.#audit = audit
    this.#sessions = sessions
    this.#rotation = rotation
  }

  ofActor(actor: UserActor | PersonActor, orgId: string | null): void {
    this.#db.transaction(() => {
      this.#sessions.revokeAll(actor.userId, 'logout')
      this.#db.run(
        q
          .updateTable('users')
          .set((set) => ({ auth_epoch: set('auth_epoch', '+', 1) }))
          .where('id', '=', actor.userId),
      )
      this.#audit(actor, { action: 'user.logout', resourceType: 'user', resourceId: actor.userId, orgId })
    })
  }

  /** For whoever comes back to a page whose access token has expired: the cookie says whose sessions end. */
  async ofHolder(refreshToken: string | undefined, origin: Origin): Promise<void> {
    const holder = refreshToken && (await this.#rotation.holderOf(refreshToken))
    if (!holder) return
    const { user, membership } = holder
    this.ofActor(personOf(user, membership, origin), orgIdOf(membership))
  }
}
