import { sql } from 'kysely'
import type { SignOutReach } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import type { Origin, PersonActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { orgIdOf, personActor, updateUser } from '../../access/index.ts'
import type { RefreshTokens } from '../sessions/refresh-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'

interface Ended {
  sessionId: string
  orgId: string | null
  reach: SignOutReach
}

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

  /** Ends the session, or all of the user. */
  ofActor(actor: UserActor | PersonActor, { sessionId, orgId, reach }: Ended): void {
    if (reach === 'session') this.#session(actor, sessionId, orgId)
    else this.#everywhere(actor, orgId)
  }

  #session(actor: UserActor | PersonActor, sessionId: string, orgId: string | null): void {
    this.#db.transaction(() => {
      this.#sessions.revoke(sessionId, 'logout')
      this.#audit(actor, { action: 'user.logout', resourceType: 'session', resourceId: sessionId, orgId })
    })
  }

  /** Access tokens of the user are invalid from then on, too. */
  #everywhere(actor: UserActor | PersonActor, orgId: string | null): void {
    this.#db.transaction(() => {
      this.#sessions.revokeAll(actor.userId, 'logout-everywhere')
      updateUser(this.#db, actor.userId, { auth_epoch: sql`auth_epoch + 1` })
      this.#audit(actor, { action: 'user.logout', resourceType: 'user', resourceId: actor.userId, orgId })
    })
  }

  /** For a page whose access token has expired: the refresh cookie tells whose sessions, or which one, are to end. */
  async ofHolder(refreshToken: string | undefined, origin: Origin, reach: SignOutReach): Promise<void> {
    const holder = refreshToken && (await this.#refreshTokens.holderOf(refreshToken))
    if (!holder) return
    const { session, user, membership } = holder
    const ended = { sessionId: session.id, orgId: orgIdOf(membership), reach }
    this.ofActor(personActor(user, membership, origin), ended)
  }
}
