import { randomUUID } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin } from '../../../platform/actor.ts'
import { type Clock, day, iso, isoNow } from '../../../platform/clock.ts'
import { type Membership, membershipIdOf, type TenantMembership, type User, updateUser } from '../../access/index.ts'
import type { Session } from './store.ts'
import { claimsOf, type IssuedTokens, type TokenPairs } from './token-pairs.ts'

export type MfaSource = NonNullable<Session['mfa_source']>

/** How the user was authenticated: the second factor used, and the identity provider that vouched. */
export interface SessionAssurance {
  source: MfaSource | null
  providerId?: string
}

/** Signing tokens is asynchronous, so it comes first; `save` is called inside the transaction the session belongs to. */
export interface PreparedSession {
  issued: IssuedTokens
  save: () => void
}

/** Creates, extends and revokes sessions. The tokens are signed first; `save` then writes inside a transaction. */
export class Sessions {
  readonly #db: Database
  readonly #clock: Clock
  readonly #pairs: TokenPairs
  readonly #maxDays: number

  /** @param maxDays after which a session ends, however much it is used */
  constructor(db: Database, clock: Clock, pairs: TokenPairs, maxDays: number) {
    this.#db = db
    this.#clock = clock
    this.#pairs = pairs
    this.#maxDays = maxDays
  }

  /** A new session for `user`. */
  async prepare(
    user: User,
    membership: Membership,
    origin: Origin,
    assurance: SessionAssurance,
  ): Promise<PreparedSession> {
    const { source, providerId = null } = assurance
    const row = { id: randomUUID(), mobile_device_id: origin.mobileDeviceId }
    const pair = await this.#pairs.sign(claimsOf(user, membership, source !== null), row)
    const now = isoNow(this.#clock)
    const save = () => {
      this.#db.run(
        q.insertInto('sessions').values({
          ...row,
          user_id: user.id,
          membership_id: membershipIdOf(membership),
          token_hash: pair.tokenHash,
          ip_address: origin.ip.slice(0, 45),
          user_agent: origin.userAgent?.slice(0, 500) ?? null,
          auth_at: now,
          mfa_at: source ? now : null,
          mfa_source: source,
          sso_provider_id: providerId,
          auth_epoch: user.auth_epoch,
          mfa_epoch: user.mfa_epoch,
          created_at: now,
          last_used_at: now,
          expires_at: iso(this.#clock.now() + this.#maxDays * day),
        }),
      )
      pair.save()
      updateUser(this.#db, user.id, { last_login_at: now })
      if (providerId === null) this.#rememberMembership(user.id, membership)
    }
    return { issued: pair.issued, save }
  }

  /**
   * After a factor was added: the session continues with new tokens and the epochs of `next`, the user as they will be
   * saved. With `mfaSource` the session counts as having passed that factor now.
   */
  async rebind(
    session: Session,
    next: User,
    membership: Membership,
    mfaSource: MfaSource | null,
  ): Promise<PreparedSession> {
    const claims = claimsOf(next, membership, mfaSource !== null || session.mfa_at !== null)
    const pair = await this.#pairs.sign(claims, session)
    const save = () => {
      const now = isoNow(this.#clock)
      this.#db.run(
        q
          .updateTable('refresh_tokens')
          .set({ rotated_at: now })
          .where('session_id', '=', session.id)
          .where('rotated_at', 'is', null),
      )
      pair.save()
      this.#db.run(
        q
          .updateTable('sessions')
          .set({
            ...(mfaSource && { mfa_at: now, mfa_source: mfaSource }),
            auth_epoch: next.auth_epoch,
            mfa_epoch: next.mfa_epoch,
            token_hash: pair.tokenHash,
          })
          .where('id', '=', session.id),
      )
    }
    return { issued: pair.issued, save }
  }

  /** After a factor was removed: a new session in place of `session`, with its age and its assurance. */
  async replace(session: Session, next: User, membership: Membership): Promise<PreparedSession> {
    const successor = { ...session, id: randomUUID() }
    const pair = await this.#pairs.sign(claimsOf(next, membership, session.mfa_at !== null), successor)
    const save = () => {
      this.#db.run(
        q.insertInto('sessions').values({
          ...successor,
          token_hash: pair.tokenHash,
          auth_epoch: next.auth_epoch,
          mfa_epoch: next.mfa_epoch,
          last_used_at: isoNow(this.#clock),
          revoked_at: null,
          revoked_reason: null,
        }),
      )
      pair.save()
    }
    return { issued: pair.issued, save }
  }

  /** Marks the session as having passed a second factor now; its refresh token stays valid. */
  async stepUp(session: Session, user: User, membership: Membership, mfaSource: MfaSource) {
    const accessToken = await this.#pairs.accessOnly(claimsOf(user, membership, true), session)
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

  /** Moves the session to another membership of the user; its refresh token stays valid. */
  async move(session: Session, user: User, membership: TenantMembership) {
    const accessToken = await this.#pairs.accessOnly(claimsOf(user, membership, session.mfa_at !== null), session)
    const save = () => {
      this.#db.run(q.updateTable('sessions').set({ membership_id: membership.id }).where('id', '=', session.id))
      if (session.sso_provider_id === null) this.#rememberMembership(user.id, membership)
    }
    return { accessToken, save }
  }

  /** The next sign-in lands there. Not for sessions of an identity provider: it vouches for its own tenant only. */
  #rememberMembership(userId: string, membership: Membership): void {
    updateUser(this.#db, userId, { last_membership_id: membershipIdOf(membership) })
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

  /** Ends the sessions that work in a membership. */
  revokeIn(membershipId: string, reason: string): void {
    this.#db.run(
      q
        .updateTable('sessions')
        .set({ revoked_at: isoNow(this.#clock), revoked_reason: reason })
        .where('membership_id', '=', membershipId)
        .where('revoked_at', 'is', null),
    )
  }

  /** Ends the sessions of a user, all or all but one. */
  revokeAll(userId: string, reason: string, exceptSessionId: string | null = null): void {
    let query = q
      .updateTable('sessions')
      .set({ revoked_at: isoNow(this.#clock), revoked_reason: reason })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
    if (exceptSessionId) query = query.where('id', '!=', exceptSessionId)
    this.#db.run(query)
  }

  /** Deletes sessions a week after their end, and expired refresh tokens and one-time secrets. */
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
}
