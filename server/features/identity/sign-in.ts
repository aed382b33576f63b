import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Origin, systemActor, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { limitKey } from '../../platform/client-ip.ts'
import { type Clock, iso, isoNow, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { randomHex, sha256 } from '../../platform/secrets.ts'
import { type Mfa, recoveryHashes } from './mfa.ts'
import { passwordMatches } from './passwords.ts'
import type { Issued, MfaSource, Sessions } from './sessions.ts'
import { findMembership, findUser, findUserByEmail, type Membership, type User } from './store.ts'

/** No answer to a sign-in comes sooner, so that its duration tells nothing. */
const floorMs = 350

export type SignInOutcome = { user: User; issued: Issued } | { user: User; tempToken: string }

interface PendingChallenge {
  userId: string
  authEpoch: number
  mfaEpoch: number
}

export class SignIn {
  readonly #db: Database
  readonly #clock: Clock
  readonly #sessions: Sessions
  readonly #mfa: Mfa
  readonly #limits: RateLimits
  readonly #audit: Audit
  readonly #isTwoFactorEnabled: boolean

  constructor(
    db: Database,
    clock: Clock,
    sessions: Sessions,
    mfa: Mfa,
    limits: RateLimits,
    audit: Audit,
    isTwoFactorEnabled: boolean,
  ) {
    this.#db = db
    this.#clock = clock
    this.#sessions = sessions
    this.#mfa = mfa
    this.#limits = limits
    this.#audit = audit
    this.#isTwoFactorEnabled = isTwoFactorEnabled
  }

  /** Every reason to refuse looks the same from outside: same status, same body, same time. */
  async withPassword(email: string, password: string, origin: Origin): Promise<SignInOutcome> {
    const startedAt = performance.now()
    try {
      return await this.#withPassword(email, password, origin)
    } finally {
      await sleep(Math.max(0, floorMs - (performance.now() - startedAt)))
    }
  }

  async #withPassword(email: string, password: string, origin: Origin): Promise<SignInOutcome> {
    // Both buckets count refused calls too: hammering keeps the door shut.
    const address = limitKey(origin.ip)
    for (const [limit, key] of [
      ['login_ip', address],
      ['login_email', `${address} ${email}`],
    ] as const) {
      const wait = this.#limits.retryAfterMs(limit, key)
      this.#limits.count(limit, key)
      if (wait > 0) throw new AppError('rate_limited', { retryAfter: Math.ceil(wait / 1000) })
    }
    const user = findUserByEmail(this.#db, email)
    const matches = await passwordMatches(user?.password_hash, password)
    if (!user) throw new AppError('invalid_credentials')
    // After the wait: of many guesses sent at once, those behind the fifth wrong one come too late.
    if (this.#limits.retryAfterMs('login_lockout', user.id) > 0) this.#refuse(user, origin, 'account_locked')
    if (!matches) this.#countWrongPassword(user, origin)
    this.#limits.clear('login_lockout', user.id)
    if (user.status !== 'active') this.#refuse(user, origin, 'account_inactive')
    const membership = findMembership(this.#db, user)
    if (!membership) this.#refuse(user, origin, 'tenant_inactive')
    if (this.#isTwoFactorEnabled && user.mfa_enabled) return { user, tempToken: this.#challenge(user) }
    return { user, issued: await this.#complete(user, membership, origin, null, () => {}) }
  }

  /** The second step: an authenticator code or a recovery code for the challenge that `tempToken` names. */
  async withCode(tempToken: string, code: string, origin: Origin): Promise<{ user: User; issued: Issued }> {
    this.#mfa.assertOffered()
    const pending = this.#pendingChallenge(tempToken)
    if (!pending) throw new AppError('mfa_challenge_expired')
    this.#limits.consume('mfa_verify', pending.userId)
    const user = findUser(this.#db, pending.userId)
    const membership = user && findMembership(this.#db, user)
    const isUnchanged =
      user?.status === 'active' && user.auth_epoch === pending.authEpoch && user.mfa_epoch === pending.mfaEpoch
    if (!isUnchanged || !membership) throw new AppError('mfa_challenge_expired')
    const answer = this.#mfa.check(user, code)
    if (!answer) this.#refuse(user, origin, 'mfa_invalid_code', 'mfa_code_invalid')
    const issued = await this.#complete(user, membership, origin, answer.source, () => {
      const consumed = this.#db.run(
        q.deleteFrom('one_time_secrets').where('kind', '=', 'mfa_pending').where('key_hash', '=', sha256(tempToken)),
      )
      if (consumed === 0) throw new AppError('mfa_challenge_expired')
      answer.consume()
    })
    return { user, issued }
  }

  /** Ends everything the user is signed in to. */
  signOut(actor: UserActor): void {
    this.#db.transaction(() => {
      this.#sessions.revokeAll(actor.userId, 'logout')
      this.#db.run(
        q
          .updateTable('users')
          .set((set) => ({ auth_epoch: set('auth_epoch', '+', 1) }))
          .where('id', '=', actor.userId),
      )
      this.#audit(actor, { action: 'user.logout', resourceType: 'user', resourceId: actor.userId, orgId: actor.orgId })
    })
  }

  async #complete(
    user: User,
    membership: Membership,
    origin: Origin,
    mfaSource: MfaSource | null,
    consume: () => void,
  ): Promise<Issued> {
    const { issued, save } = await this.#sessions.prepare(user, membership, origin, mfaSource)
    this.#db.transaction(() => {
      // The account may have changed while the tokens were signed.
      const now = findUser(this.#db, user.id)
      if (now?.auth_epoch !== user.auth_epoch || now.mfa_epoch !== user.mfa_epoch || now.status !== 'active')
        throw new AppError('invalid_credentials')
      consume()
      save()
      this.#audit(systemActor('sign-in', origin), {
        ...about(user, membership),
        action: 'user.login',
        details: { method: 'password', mfa: mfaSource, scope: membership.kind },
      })
    })
    return issued
  }

  #challenge(user: User): string {
    const tempToken = randomHex(32)
    const pending: PendingChallenge = { userId: user.id, authEpoch: user.auth_epoch, mfaEpoch: user.mfa_epoch }
    this.#db.run(
      q.insertInto('one_time_secrets').values({
        kind: 'mfa_pending',
        key_hash: sha256(tempToken),
        user_id: user.id,
        payload: JSON.stringify(pending),
        expires_at: iso(this.#clock.now() + 5 * minute),
      }),
    )
    return tempToken
  }

  #pendingChallenge(tempToken: string): PendingChallenge | null {
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .select('payload')
        .where('kind', '=', 'mfa_pending')
        .where('key_hash', '=', sha256(tempToken))
        .where('expires_at', '>', isoNow(this.#clock)),
    )
    return row ? (JSON.parse(row.payload) as PendingChallenge) : null
  }

  #countWrongPassword(user: User, origin: Origin): never {
    this.#limits.count('login_lockout', user.id)
    return this.#refuse(user, origin, user.password_hash ? 'invalid_password' : 'password_auth_not_available')
  }

  #refuse(
    user: User,
    origin: Origin,
    reason: string,
    code: 'invalid_credentials' | 'mfa_code_invalid' = 'invalid_credentials',
  ): never {
    this.#audit(systemActor('sign-in', origin), {
      ...about(user, findMembership(this.#db, user)),
      action: 'user.login.failed',
      details: { reason },
      result: 'denied',
    })
    throw new AppError(code)
  }
}

const about = (user: User, membership: Membership | null) => ({
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.email,
  orgId: membership?.kind === 'organization' ? membership.org_id : null,
  partnerId: membership && membership.kind !== 'system' ? membership.partner_id : null,
})

export const signedInView = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  mfaEnabled: user.mfa_enabled === 1,
  avatarUrl: user.avatar_url,
  isPlatformAdmin: user.is_platform_admin === 1,
})

export const challengeView = (user: User, tempToken: string) => ({
  mfaRequired: true as const,
  tempToken,
  mfaMethod: 'totp' as const,
  passkeyAvailable: false,
  allowedMethods: { totp: true, sms: false, passkey: false },
  recoveryAvailable: recoveryHashes(user).length > 0,
  phoneLast4: null,
  user: null,
  tokens: null,
})

/** The wizard is for whoever made the appliance, until they leave it. */
export const requiresSetup = (user: User): boolean =>
  user.setup_completed_at === null &&
  (JSON.parse(user.preferences) as Record<string, unknown>).bootstrapSetupRequired === true
