import { randomUUID } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, day, iso, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import {
  findHomePartner,
  findMembership,
  findSession,
  findUser,
  type Membership,
  type Session,
  type User,
} from '../store.ts'
import { accessTokenSeconds, type Claims, refreshTokenSeconds, type Tokens } from './tokens.ts'

export type MfaSource = NonNullable<Session['mfa_source']>

/** What a sign-in or a refresh hands out; the refresh token and the CSRF token travel in cookies. */
export interface Issued {
  accessToken: string
  refreshToken: string
  csrfToken: string
}

/** Signing waits, saving does not: `save` belongs into the transaction of whatever the session is given for. */
export interface Prepared {
  issued: Issued
  save: () => void
}

export interface SessionRules {
  rotationGraceSeconds: number
  maxDays: number
}

export const tokensView = ({ accessToken }: Pick<Issued, 'accessToken'>) => ({
  accessToken,
  expiresInSeconds: accessTokenSeconds,
})

export class Sessions {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens
  readonly #audit: Audit
  readonly #limits: RateLimits
  readonly #rules: SessionRules

  constructor(db: Database, clock: Clock, tokens: Tokens, audit: Audit, limits: RateLimits, rules: SessionRules) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
    this.#audit = audit
    this.#limits = limits
    this.#rules = rules
  }

  /** A session for `user`. */
  async prepare(user: User, membership: Membership, origin: Origin, mfaSource: MfaSource | null): Promise<Prepared> {
    const id = randomUUID()
    const jti = randomUUID()
    const { mobileDeviceId } = origin
    const issued = await this.#sign(claimsOf(user, membership, mfaSource !== null), id, jti, mobileDeviceId)
    const now = isoNow(this.#clock)
    const save = () => {
      this.#db.run(
        q.insertInto('sessions').values({
          id,
          user_id: user.id,
          token_hash: sha256(issued.refreshToken),
          ip_address: origin.ip.slice(0, 45),
          user_agent: origin.userAgent?.slice(0, 500) ?? null,
          auth_at: now,
          mfa_at: mfaSource ? now : null,
          mfa_source: mfaSource,
          auth_epoch: user.auth_epoch,
          mfa_epoch: user.mfa_epoch,
          mobile_device_id: mobileDeviceId,
          created_at: now,
          last_used_at: now,
          expires_at: iso(this.#clock.now() + this.#rules.maxDays * day),
        }),
      )
      this.#addRefreshToken(id, jti)
      this.#db.run(q.updateTable('users').set({ last_login_at: now }).where('id', '=', user.id))
    }
    return { issued, save }
  }

  /** Exchanges a refresh token for the next pair. The old one works once; a later replay ends the session. */
  async rotate(refreshToken: string | undefined, origin: Origin): Promise<Issued> {
    if (!refreshToken) throw new AppError('invalid_refresh_token')
    const { userId, sessionId, jti } = await this.#tokens.verifyRefresh(refreshToken)
    this.#limits.consume('refresh_session', sessionId)
    this.#assertCurrent(jti, sessionId, origin)
    const { session, user, membership } = this.#load(sessionId, userId)
    const nextJti = randomUUID()
    const claims = claimsOf(user, membership, session.mfa_at !== null)
    const issued = await this.#sign(claims, sessionId, nextJti, session.mobile_device_id)
    this.#db.transaction(() => {
      const now = isoNow(this.#clock)
      const claimed = this.#db.run(
        q.updateTable('refresh_tokens').set({ rotated_at: now }).where('jti', '=', jti).where('rotated_at', 'is', null),
      )
      if (claimed === 0) throw new AppError('refresh_raced', { reason: 'refresh_raced' })
      this.#load(sessionId, userId)
      this.#addRefreshToken(sessionId, nextJti)
      this.#db.run(
        q
          .updateTable('sessions')
          .set({ token_hash: sha256(issued.refreshToken), last_used_at: now })
          .where('id', '=', sessionId),
      )
    })
    return issued
  }

  /**
   * After a factor was added: the caller's session goes on with a fresh pair and the epochs of `next`, the user as they
   * will be saved. With `mfaSource` it has passed that factor now.
   */
  async rebind(session: Session, next: User, membership: Membership, mfaSource: MfaSource | null): Promise<Prepared> {
    const jti = randomUUID()
    const claims = claimsOf(next, membership, mfaSource !== null || session.mfa_at !== null)
    const issued = await this.#sign(claims, session.id, jti, session.mobile_device_id)
    const save = () => {
      const now = isoNow(this.#clock)
      this.#db.run(
        q
          .updateTable('refresh_tokens')
          .set({ rotated_at: now })
          .where('session_id', '=', session.id)
          .where('rotated_at', 'is', null),
      )
      this.#addRefreshToken(session.id, jti)
      this.#db.run(
        q
          .updateTable('sessions')
          .set({
            ...(mfaSource && { mfa_at: now, mfa_source: mfaSource }),
            auth_epoch: next.auth_epoch,
            mfa_epoch: next.mfa_epoch,
            token_hash: sha256(issued.refreshToken),
          })
          .where('id', '=', session.id),
      )
    }
    return { issued, save }
  }

  /** After a factor was removed: another session in place of the caller's, as old and as trusted as that one was. */
  async replace(session: Session, next: User, membership: Membership): Promise<Prepared> {
    const [id, jti] = [randomUUID(), randomUUID()]
    const claims = claimsOf(next, membership, session.mfa_at !== null)
    const issued = await this.#sign(claims, id, jti, session.mobile_device_id)
    const save = () => {
      this.#db.run(
        q.insertInto('sessions').values({
          ...session,
          id,
          token_hash: sha256(issued.refreshToken),
          auth_epoch: next.auth_epoch,
          mfa_epoch: next.mfa_epoch,
          last_used_at: isoNow(this.#clock),
          revoked_at: null,
          revoked_reason: null,
        }),
      )
      this.#addRefreshToken(id, jti)
    }
    return { issued, save }
  }

  /** The session has passed a second factor now; the refresh token stays as it is. Saved by `save`, as above. */
  async stepUp(session: Session, user: User, membership: Membership, mfaSource: MfaSource) {
    const accessToken = await this.#tokens.access(claimsOf(user, membership, true), session.id)
    const save = () => {
      this.#db.run(
        q
          .updateTable('sessions')
          .set({ mfa_at: isoNow(this.#clock), mfa_source: mfaSource })
          .where('id', '=', session.id),
      )
    }
    return { accessToken, save }
  }

  /** Whether the request carries the session's own refresh cookie, so that a replacement would reach its owner. */
  async ownsRefreshToken(session: Session, refreshToken: string | undefined): Promise<boolean> {
    if (!refreshToken) return false
    const token = await this.#tokens.verifyRefresh(refreshToken).catch(() => null)
    return token?.sessionId === session.id && token.userId === session.user_id
  }

  /** Whose live session a refresh token belongs to, a spent one too; null for none. Enough for ending it. */
  async holderOf(refreshToken: string): Promise<{ user: User; membership: Membership } | null> {
    try {
      const { userId, sessionId } = await this.#tokens.verifyRefresh(refreshToken)
      return this.#load(sessionId, userId)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_refresh_token') return null
      throw error
    }
  }

  /** Ends one session. */
  revoke(id: string, reason: string): void {
    this.#db.run(
      q
        .updateTable('sessions')
        .set({ revoked_at: isoNow(this.#clock), revoked_reason: reason })
        .where('id', '=', id)
        .where('revoked_at', 'is', null),
    )
  }

  /** Ends the user's sessions, all or all but one. Joins the transaction of whatever made it necessary. */
  revokeAll(userId: string, reason: string, exceptSessionId: string | null = null): void {
    let query = q
      .updateTable('sessions')
      .set({ revoked_at: isoNow(this.#clock), revoked_reason: reason })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
    if (exceptSessionId) query = query.where('id', '!=', exceptSessionId)
    this.#db.run(query)
  }

  /** Forgets sessions a week after their end and what hung on them. */
  prune(): void {
    const lastWeek = iso(this.#clock.now() - 7 * day)
    this.#db.run(
      q
        .deleteFrom('sessions')
        .where((where) => where.or([where('expires_at', '<', lastWeek), where('revoked_at', '<', lastWeek)])),
    )
    this.#db.run(q.deleteFrom('refresh_tokens').where('expires_at', '<', isoNow(this.#clock)))
    this.#db.run(q.deleteFrom('one_time_secrets').where('expires_at', '<', isoNow(this.#clock)))
  }

  #assertCurrent(jti: string, sessionId: string, origin: Origin): void {
    const token = this.#db.first(
      q.selectFrom('refresh_tokens').selectAll().where('jti', '=', jti).where('session_id', '=', sessionId),
    )
    if (!token) throw new AppError('invalid_refresh_token')
    if (token.rotated_at === null) return
    const age = this.#clock.now() - Date.parse(token.rotated_at)
    if (age <= this.#rules.rotationGraceSeconds * 1000) throw new AppError('refresh_raced', { reason: 'refresh_raced' })
    const session = findSession(this.#db, sessionId)
    this.#db.transaction(() => {
      this.revoke(sessionId, 'reuse-detected')
      this.#audit(systemActor('refresh', origin), {
        action: 'auth.refresh.reuse_detected',
        resourceType: 'session',
        resourceId: sessionId,
        partnerId: (session && findHomePartner(this.#db, session.user_id)) ?? null,
        details: { replayedJti: jti, userId: session?.user_id },
        result: 'denied',
      })
    })
    throw new AppError('invalid_refresh_token')
  }

  #load(sessionId: string, userId: string): { session: Session; user: User; membership: Membership } {
    const session = findSession(this.#db, sessionId)
    const user = findUser(this.#db, userId)
    const isAlive =
      session?.user_id === user?.id &&
      session?.revoked_at === null &&
      Date.parse(session.expires_at) > this.#clock.now() &&
      user?.status === 'active' &&
      session.auth_epoch === user.auth_epoch &&
      session.mfa_epoch === user.mfa_epoch
    const membership = user && findMembership(this.#db, user)
    if (!isAlive || !membership) throw new AppError('invalid_refresh_token')
    return { session, user, membership }
  }

  #addRefreshToken(sessionId: string, jti: string): void {
    this.#db.run(
      q.insertInto('refresh_tokens').values({
        jti,
        session_id: sessionId,
        expires_at: iso(this.#clock.now() + refreshTokenSeconds * 1000),
      }),
    )
  }

  async #sign(claims: Claims, sessionId: string, jti: string, mobileDeviceId: string | null): Promise<Issued> {
    const [accessToken, refreshToken] = await Promise.all([
      this.#tokens.access(claims, sessionId),
      this.#tokens.refresh(claims, sessionId, jti, mobileDeviceId),
    ])
    return { accessToken, refreshToken, csrfToken: randomHex(32) }
  }
}

const claimsOf = (user: User, membership: Membership, mfa: boolean): Claims => ({
  sub: user.id,
  email: user.email,
  scope: membership.kind,
  partnerId: membership.kind === 'system' ? null : membership.partner_id,
  orgId: membership.kind === 'organization' ? membership.org_id : null,
  roleId: membership.kind === 'system' ? null : membership.role_id,
  mfa,
  aep: user.auth_epoch,
  mep: user.mfa_epoch,
})
