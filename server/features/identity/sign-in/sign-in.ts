import { setTimeout as sleep } from 'node:timers/promises'
import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { MfaEnrollment } from '../../../../shared/api/profile.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { heldFactors, passkeyHostsOf, recoveryHashes } from '../factors/held.ts'
import { passwordMatches } from '../passwords/passwords.ts'
import type { InvitationReplies } from '../people/invitation-replies.ts'
import { boundBy, type IpAllowlist } from '../policy/ip-allowlist.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import { isPasswordClosed } from '../policy/sso-enforcement.ts'
import type { Issued } from '../sessions/pairs.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import { findMembership, findUser, findUserByEmail, type Membership, type User } from '../store.ts'
import type { Challenges, OpenChallenge } from './challenges.ts'
import type { KnownBrowsers, Visits } from './known-browsers.ts'
import type { Arrival, Landing } from './landing.ts'
import { PasswordLock } from './password-lock.ts'
import { aboutPerson, personOf } from './person.ts'

/**
 * Behind a crowd, or on a slow machine, the hash alone takes longer than the floor of the whole answer. What follows the
 * hash is written down only for people who have an account, so it has a floor of its own.
 */
const judgementFloorMs = 100

export interface SignedIn {
  user: User
  issued: Issued
  enrollment: MfaEnrollment
  /** By the word of an identity provider, which may answer for a part of what the account opens only. */
  isVouchedFor: boolean
}

export interface Challenged {
  user: User
  tempToken: string
  methods: MfaMethods
  /** The user answers by text message, and none can be sent. */
  smsUnavailable: boolean
  /** Where the user's passkeys work, when that is not here. */
  passkeyHosts: string[]
}

/** How somebody proved who they are; `sso` through the provider of an organization, `sso-partner` of a company. */
export type Means =
  | { method: 'password' | 'registration' | 'invitation' | 'bootstrap'; source: MfaSource | null }
  | { method: 'passkey'; source: 'passkey'; providerId?: string }
  | { method: 'sso' | 'sso-partner'; source: 'idp' | null; providerId: string }

interface Parts {
  db: Database
  sessions: Sessions
  challenges: Challenges
  landing: Landing
  invitationReplies: InvitationReplies
  policy: MfaPolicy
  allowlist: IpAllowlist
  limits: RateLimits
  audit: Audit
  isTwoFactorEnabled: boolean
  /** No answer comes sooner. */
  signInFloorMs: number
  knownBrowsers: KnownBrowsers
  /** A lock shut just now, in the browser of this id or in all unknown ones; runs inside a transaction. */
  onLocked: (user: User, browserId: string | null) => void
}

export class SignIn {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Every reason to refuse looks the same from outside: same status, same body, same time. */
  withPassword(email: string, password: string, arrival: Arrival): Promise<SignedIn | Challenged> {
    return notBefore(this.#parts.signInFloorMs, () => this.#withPassword(email, password, arrival))
  }

  async #withPassword(email: string, password: string, arrival: Arrival) {
    this.#limitAttempts(arrival.origin, email)
    const visits = await this.#parts.knownBrowsers.read(arrival.browser)
    const user = findUserByEmail(this.#parts.db, email)
    const matches = await passwordMatches(user?.password_hash, password)
    return notBefore(Math.min(judgementFloorMs, this.#parts.signInFloorMs), () =>
      this.#judge(user, matches, visits, arrival),
    )
  }

  async #judge(user: User | undefined, matches: boolean, visits: Visits, arrival: Arrival) {
    const { origin, rpId } = arrival
    if (!user) throw new AppError('invalid_credentials')
    const browserId = visits.idFor(user)
    const lock = new PasswordLock(this.#parts.limits, user.id, browserId)
    // After the wait: of many guesses sent at once, those behind the fifth wrong one come too late.
    if (lock.shutMs() > 0) this.refuse(user, origin, 'account_locked')
    if (!matches) this.#countWrongPassword(user, lock, browserId, origin)
    lock.open()
    const membership = this.admit(user, arrival)
    if (!this.#parts.isTwoFactorEnabled || !user.mfa_enabled)
      return this.complete(user, membership, origin, { method: 'password', source: null }, () => {})
    return this.#challenge(user, membership, origin, rpId)
  }

  /**
   * Whoever got in has guessed nothing: what was counted for that account from there is forgotten, and the address gets
   * back the one use that this took, but none of those that went to other accounts.
   */
  #forgiveAttempts(origin: Origin, email: string): void {
    const { limits } = this.#parts
    limits.clear('login_email', attemptKey(origin, email))
    limits.giveBack('login_ip', limitKey(origin.ip))
  }

  /** Both buckets count refused calls too: hammering keeps the door shut. */
  #limitAttempts(origin: Origin, email: string): void {
    const buckets = [
      ['login_ip', limitKey(origin.ip)],
      ['login_email', attemptKey(origin, email)],
    ] as const
    for (const [limit, key] of buckets) {
      const wait = this.#parts.limits.retryAfterMs(limit, key)
      this.#parts.limits.count(limit, key)
      if (wait > 0) throw new AppError('rate_limited', { retryAfter: Math.ceil(wait / 1000) })
    }
  }

  /**
   * Whose password or passkey is right may still be barred: by status, tenant, or the place they come from; and by whose
   * word the passkey was made.
   */
  admit(user: User, arrival: Arrival): Membership {
    const { origin } = arrival
    if (user.status !== 'active') this.refuse(user, origin, 'account_inactive')
    const membership = this.#parts.landing.find(user, arrival)
    if (!membership)
      this.refuse(user, origin, isPasswordClosed(this.#parts.db, user) ? 'sso_required' : 'tenant_inactive')
    this.#assertAddress(user, membership, origin)
    return membership
  }

  /** The challenge that somebody means to answer. */
  resume(tempToken: string, origin: Origin): OpenChallenge {
    return this.#parts.challenges.find(tempToken, (user) =>
      this.refuse(user, origin, 'mfa_pending_invalidated', 'mfa_challenge_expired'),
    )
  }

  /**
   * Begins the session; `consume` uses up what it was given for, in the same transaction. A registration makes the user
   * there.
   */
  async complete(
    user: User,
    membership: Membership,
    origin: Origin,
    means: Means,
    consume: (actor: PersonActor) => void,
  ): Promise<SignedIn> {
    const { db, sessions, policy, audit } = this.#parts
    this.#assertAddress(user, membership, origin)
    const { issued, save } = await sessions.prepare(user, membership, origin, means)
    const actor = personOf(user, membership, origin)
    const enrollment = db.transaction(() => {
      consume(actor)
      // The account may have changed while the tokens were signed.
      const now = findUser(db, user.id)
      if (now?.auth_epoch !== user.auth_epoch || now.mfa_epoch !== user.mfa_epoch || now.status !== 'active')
        throw new AppError('invalid_credentials')
      this.#parts.invitationReplies.acceptOffered(user, membership, actor)
      save()
      if (means.method === 'password') this.#forgiveAttempts(origin, now.email)
      audit(actor, {
        ...aboutPerson(user, membership),
        action: 'user.login',
        details: { ...means, mfa: means.source !== null, scope: membership.kind },
      })
      return policy.settle(now, policy.demandOn(membership))
    })
    return { user: findUser(db, user.id) ?? user, issued, enrollment, isVouchedFor: 'providerId' in means }
  }

  /** Refuses, and says why in the audit log only. */
  refuse(user: User, origin: Origin, reason: string, code: ErrorCode = 'invalid_credentials'): never {
    this.#recordRefusal(user, findMembership(this.#parts.db, user), origin, reason)
    throw new AppError(code)
  }

  #challenge(user: User, membership: Membership, origin: Origin, rpId: string | null): Challenged {
    const { db, policy, challenges } = this.#parts
    const hosts = passkeyHostsOf(db, user.id)
    const isHere = rpId !== null && hosts.includes(rpId)
    const held = { ...heldFactors(db, user), passkey: isHere }
    const demand = policy.demandOn(membership)
    const methods = policy.permitted(held, demand)
    const smsUnavailable = policy.isSmsUnavailable(held, demand)
    const isAnswerable = methods.totp || methods.sms || methods.passkey || recoveryHashes(user).length > 0
    if (!isAnswerable) this.refuse(user, origin, 'mfa_method_not_allowed')
    const tempToken = challenges.begin(user, membership, methods)
    return { user, tempToken, methods, smsUnavailable, passkeyHosts: isHere ? [] : hosts }
  }

  #assertAddress(user: User, membership: Membership, origin: Origin): void {
    try {
      this.#parts.allowlist.assertAllowed(
        boundBy(user, membership),
        origin,
        personOf(user, membership, origin),
        'login_ip_not_allowed',
      )
    } catch (error) {
      if (error instanceof AppError && error.code !== 'unavailable')
        this.#recordRefusal(user, membership, origin, 'ip_not_allowed')
      throw error
    }
  }

  #countWrongPassword(user: User, lock: PasswordLock, browserId: string | null, origin: Origin): never {
    const { db, audit, onLocked } = this.#parts
    const isLockedNow = db.transaction(() => {
      if (!lock.countWrong()) return false
      const membership = findMembership(db, user)
      audit(personOf(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.locked',
        details: { browser: browserId === null ? 'unknown' : 'known', minutes: Math.ceil(lock.shutMs() / minute) },
      })
      onLocked(user, browserId)
      return true
    })
    if (isLockedNow) this.refuse(user, origin, 'account_locked')
    return this.refuse(user, origin, user.password_hash ? 'invalid_password' : 'password_auth_not_available')
  }

  #recordRefusal(user: User, membership: Membership | null, origin: Origin, reason: string): void {
    this.#parts.audit(personOf(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.login.failed',
      details: { reason },
      result: 'denied',
    })
  }
}

/** What tries to sign in to one account from one address are counted by. */
export const attemptKey = (origin: Origin, email: string): string => `${limitKey(origin.ip)} ${email}`

/** Runs the work and holds the answer, good or bad, until `ms` have passed. */
export async function notBefore<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    await sleep(Math.max(0, ms - (performance.now() - startedAt)))
  }
}
