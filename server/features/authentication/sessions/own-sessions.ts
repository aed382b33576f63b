import type { z } from 'zod'
import type { listSessions } from '../../../../shared/api/auth.ts'
import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Sessions } from './sessions.ts'
import type { Session } from './store.ts'

/** The sessions of the caller, to list and to end. */
export class OwnSessions {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #sessions: Sessions

  constructor(db: Database, clock: Clock, audit: Audit, sessions: Sessions) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#sessions = sessions
  }

  list(actor: UserActor): z.input<typeof listSessions.reply> {
    return {
      data: this.#alive(actor).map((session) => ({
        id: session.id,
        isCurrent: session.id === actor.sessionId,
        ipAddress: session.ip_address,
        userAgent: session.user_agent,
        createdAt: session.created_at,
        lastUsedAt: session.last_used_at,
        expiresAt: session.expires_at,
        mfaSource: session.mfa_source,
      })),
    }
  }

  revoke(actor: UserActor, id: string): void {
    if (!this.#alive(actor).some((session) => session.id === id)) throw new AppError('session_not_found')
    this.#db.transaction(() => {
      this.#sessions.revoke(id, 'revoked-by-user')
      this.#record(actor, 'auth.session.revoke', id)
    })
  }

  /** @returns how many sessions were ended */
  revokeOthers(actor: UserActor): number {
    return this.#db.transaction(() => {
      const revoked = this.#alive(actor).length - 1
      this.#sessions.revokeAll(actor.userId, 'revoked-by-user', actor.sessionId)
      this.#record(actor, 'auth.session.revoke_others', actor.sessionId, { revoked })
      return revoked
    })
  }

  #alive(actor: UserActor): Session[] {
    return this.#db.all(
      q
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .selectAll('sessions')
        .where('users.id', '=', actor.userId)
        .where('sessions.revoked_at', 'is', null)
        .where('sessions.expires_at', '>', isoNow(this.#clock))
        .whereRef('sessions.auth_epoch', '=', 'users.auth_epoch')
        .whereRef('sessions.mfa_epoch', '=', 'users.mfa_epoch')
        .orderBy('sessions.last_used_at', 'desc')
        .orderBy('sessions.id'),
    )
  }

  #record(actor: UserActor, action: AuditAction, sessionId: string, details: Record<string, unknown> = {}): void {
    this.#audit(actor, { action, resourceType: 'session', resourceId: sessionId, orgId: actor.orgId, details })
  }
}
