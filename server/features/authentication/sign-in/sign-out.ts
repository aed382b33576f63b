import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { Origin, PersonActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { orgIdOf, personActor, updateUser } from '../../access/index.ts'
import type { RefreshTokens } from '../sessions/refresh-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'

export class SignOut {
  readonly #db: Database
  readonly #audit: Audit
  readonly #sessions: Sessions
  readonly #refreshTokens: RefreshTokens

  constructor(db: Database, audit: Audit, sessions: Sessions, refreshTokens: RefreshTokens) {
    this.#db = db
    this.#audit = audit
    this.#sessions = sessions
    this.#refreshTokens = refreshTokens
  }

  /** Ends one session; the user stays signed in elsewhere. */
  ofSession(actor: UserActor | PersonActor, sessionId: string, orgId: string | null): void {
    this.#db.transaction(() => {
      this.#sessions.revoke(sessionId, 'logout')
      this.#audit(actor, { action: 'user.logout', resourceType: 'session', resourceId: sessionId, orgId })
    })
  }

  /** Ends all sessions of the user and invalidates their access tokens. */
  everywhere(actor: UserActor | PersonActor, orgId: string | null): void {
    this.#db.transaction(() => {
      this.#sessions.revokeAll(actor.userId, 'logout-everywhere')
      updateUser(this.#db, actor.userId, { auth_epoch: sql`auth_epoch + 1` })
      this.#audit(actor, { action: 'user.logout', resourceType: 'user', resourceId: actor.userId, orgId })
    })
  }

  /** For a page whose access token has expired: the refresh cookie tells whose sessions, or which one, are to end. */
  async ofHolder(refreshToken: string | undefined, origin: Origin, reach: 'session' | 'everywhere'): Promise<void> {
    const holder = refreshToken && (await this.#refreshTokens.holderOf(refreshToken))
    if (!holder) return
    const { session, user, membership } = holder
    const actor = personActor(user, membership, origin)
    if (reach === 'session') this.ofSession(actor, session.id, orgIdOf(membership))
    else this.everywhere(actor, orgIdOf(membership))
  }
}
