import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { IpAllowlist } from '../../access/policies/ip-allowlist.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import { membershipOfSession } from '../../access/sso/enforcement.ts'
import { personOf } from '../../access/memberships/person.ts'
import {
  findHomePartner,
  findSession,
  findUser,
  type Membership,
  membershipIdOf,
  type Session,
  type User,
} from '../../access/users/store.ts'
import { claimsOf, type Issued, type Pairs } from './token-pairs.ts'
import { isPlatformAdminIn } from '../../access/memberships/platform-admin.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

interface Parts {
  db: Database
  clock: Clock
  tokens: Tokens
  pairs: Pairs
  audit: Audit
  limits: RateLimits
  sessions: Sessions
  allowlist: IpAllowlist
  policy: MfaPolicy
  /** Seconds in which a second use of a token is a race and not a theft. */
  graceSeconds: number
}

/** Refresh tokens: each works once, and a replay ends the session. */
export class Rotation {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Exchanges a refresh token for the next pair. The old one works once; a later replay ends the session. */
  async rotate(refreshToken: string | undefined, origin: Origin): Promise<Issued> {
    if (!refreshToken) throw new AppError('invalid_refresh_token')
    const { db, clock, tokens, pairs, limits } = this.#parts
    const { userId, sessionId, jti } = await tokens.verifyRefresh(refreshToken)
    limits.consume('refresh_session', sessionId)
    this.#assertCurrent(jti, sessionId, origin)
    const { session, user, membership } = this.#load(sessionId, userId)
    this.#assertAddress(session, user, membership, origin)
    this.#assertFactor(session, membership)
    const pair = await pairs.sign(claimsOf(user, membership, session.mfa_at !== null), session)
    db.transaction(() => {
      const now = isoNow(clock)
      const claimed = db.run(
        q.updateTable('refresh_tokens').set({ rotated_at: now }).where('jti', '=', jti).where('rotated_at', 'is', null),
      )
      if (claimed === 0) throw new AppError('refresh_raced', { reason: 'refresh_raced' })
      this.#load(sessionId, userId)
      pair.save()
      db.run(
        q.updateTable('sessions').set({ token_hash: pair.tokenHash, last_used_at: now }).where('id', '=', sessionId),
      )
    })
    return pair.issued
  }

  /** Whether the request carries the session's own refresh cookie, so that a replacement would reach its owner. */
  async ownsRefreshToken(session: Session, refreshToken: string | undefined): Promise<boolean> {
    if (!refreshToken) return false
    const token = await this.#parts.tokens.verifyRefresh(refreshToken).catch(() => null)
    return token?.sessionId === session.id && token.userId === session.user_id
  }

  /** Whose live session a refresh token belongs to, a spent one too; null for none. Enough for ending it. */
  async holderOf(refreshToken: string): Promise<{ user: User; membership: Membership } | null> {
    try {
      const { userId, sessionId } = await this.#parts.tokens.verifyRefresh(refreshToken)
      return this.#load(sessionId, userId)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_refresh_token') return null
      throw error
    }
  }

  #assertCurrent(jti: string, sessionId: string, origin: Origin): void {
    const { db, clock, audit, sessions, graceSeconds } = this.#parts
    const token = db.first(
      q.selectFrom('refresh_tokens').selectAll().where('jti', '=', jti).where('session_id', '=', sessionId),
    )
    if (!token) throw new AppError('invalid_refresh_token')
    if (token.rotated_at === null) return
    const age = clock.now() - Date.parse(token.rotated_at)
    if (age <= graceSeconds * 1000) throw new AppError('refresh_raced', { reason: 'refresh_raced' })
    const session = findSession(db, sessionId)
    db.transaction(() => {
      sessions.revoke(sessionId, 'reuse-detected')
      audit(systemActor('refresh', origin), {
        action: 'auth.refresh.reuse_detected',
        resourceType: 'session',
        resourceId: sessionId,
        partnerId: (session && findHomePartner(db, session.user_id)) ?? null,
        details: { replayedJti: jti, userId: session?.user_id },
        result: 'denied',
      })
    })
    throw new AppError('invalid_refresh_token')
  }

  /** Before the token is used up: from an address that is allowed it still works. */
  #assertAddress(session: Session, user: User, membership: Membership, origin: Origin): void {
    const bound = {
      userId: user.id,
      email: user.email,
      partnerId: membership.kind === 'system' ? null : membership.partner_id,
      isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
    }
    this.#parts.allowlist.assertAllowed(bound, origin, personOf(user, membership, origin))
  }

  /** Out of a closed tenant a refresh leads to another one, which may not take the factor that was shown. */
  #assertFactor(session: Session, membership: Membership): void {
    if (membershipIdOf(membership) === session.membership_id) return
    if (!this.#parts.policy.takesFactorOf(session, membership)) throw new AppError('invalid_refresh_token')
  }

  #load(sessionId: string, userId: string): { session: Session; user: User; membership: Membership } {
    const { db, clock } = this.#parts
    const session = findSession(db, sessionId)
    const user = findUser(db, userId)
    const isAlive =
      session?.user_id === user?.id &&
      session?.revoked_at === null &&
      Date.parse(session.expires_at) > clock.now() &&
      user?.status === 'active' &&
      session.auth_epoch === user.auth_epoch &&
      session.mfa_epoch === user.mfa_epoch
    const membership = session && user && membershipOfSession(db, user, session)
    if (!isAlive || !membership) throw new AppError('invalid_refresh_token')
    return { session, user, membership }
  }
}
