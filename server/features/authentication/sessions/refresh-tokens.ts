import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  findHomePartner,
  findUser,
  type IpAllowlist,
  isPlatformAdminIn,
  type Membership,
  type MfaPolicy,
  membershipIdOf,
  membershipOfSession,
  partnerIdOf,
  personActor,
  type User,
} from '../../access/index.ts'
import type { Sessions } from './sessions.ts'
import { findSession, type Session } from './store.ts'
import { claimsOf, type IssuedTokens, type TokenPairs } from './token-pairs.ts'
import type { Tokens } from './tokens.ts'

interface Dependencies {
  db: Database
  clock: Clock
  tokens: Tokens
  pairs: TokenPairs
  audit: Audit
  limits: RateLimits
  sessions: Sessions
  allowlist: IpAllowlist
  policy: MfaPolicy
  /** Seconds in which a second use of a token counts as a race between tabs, and not as theft. */
  graceSeconds: number
}

/** Rotation of refresh tokens (OAuth 2.0 BCP, RFC 9700): each works once, and a replay ends the session. */
export class RefreshTokens {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Exchanges a refresh token for the next pair.
   * @throws AppError `invalid_refresh_token`, `refresh_raced`, `IP_NOT_ALLOWED`, `untrusted_ip`, `rate_limited`
   */
  async rotate(refreshToken: string | undefined, origin: Origin): Promise<IssuedTokens> {
    if (!refreshToken) throw new AppError('invalid_refresh_token')
    const { db, clock, tokens, pairs, limits } = this.#dependencies
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

  /** Whether this is a refresh token of the session, so that a cookie set in the answer reaches its owner. */
  async ownsRefreshToken(session: Session, refreshToken: string | undefined): Promise<boolean> {
    if (!refreshToken) return false
    const token = await this.#dependencies.tokens.verifyRefresh(refreshToken).catch(() => null)
    return token?.sessionId === session.id && token.userId === session.user_id
  }

  /** User and membership of the live session a token belongs to; null for none. Also for a used token: only to sign out. */
  async holderOf(refreshToken: string): Promise<{ session: Session; user: User; membership: Membership } | null> {
    try {
      const { userId, sessionId } = await this.#dependencies.tokens.verifyRefresh(refreshToken)
      return this.#load(sessionId, userId)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_refresh_token') return null
      throw error
    }
  }

  #assertCurrent(jti: string, sessionId: string, origin: Origin): void {
    const { db, clock, audit, sessions, graceSeconds } = this.#dependencies
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

  /** Checked before the token is used up, so that it still works from an allowed address. */
  #assertAddress(session: Session, user: User, membership: Membership, origin: Origin): void {
    const subject = {
      userId: user.id,
      email: user.email,
      partnerId: partnerIdOf(membership),
      isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
    }
    this.#dependencies.allowlist.assertAllowed(subject, origin, personActor(user, membership, origin))
  }

  /** From a closed tenant a refresh leads to another one, which may not accept the factor the session was begun with. */
  #assertFactor(session: Session, membership: Membership): void {
    if (membershipIdOf(membership) === session.membership_id) return
    if (!this.#dependencies.policy.acceptsFactorOf(session, membership)) throw new AppError('invalid_refresh_token')
  }

  #load(sessionId: string, userId: string): { session: Session; user: User; membership: Membership } {
    const { db, clock } = this.#dependencies
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
