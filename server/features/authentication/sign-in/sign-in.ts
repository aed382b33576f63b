import type { MfaEnrollment } from '../../../../shared/api/profile.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  aboutPerson,
  acceptInvitation,
  allowlistSubject,
  findMembership,
  findOpenInvitation,
  findUser,
  type IpAllowlist,
  isPasswordClosed,
  type Membership,
  type MfaPolicy,
  membershipIdOf,
  personActor,
  type User,
} from '../../access/index.ts'
import type { SignInAttempts } from '../passwords/sign-in-attempts.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import type { Challenges, OpenChallenge } from './challenges.ts'
import type { MembershipSelection, SignInContext } from './membership-selection.ts'

export interface SignedIn {
  user: User
  issued: IssuedTokens
  enrollment: MfaEnrollment
  /** An identity provider vouched, which may be entitled to a part of what the account gives access to only. */
  isVouchedFor: boolean
}

/** How a user was authenticated; `sso` through the provider of an organization, `sso-partner` through that of a partner. */
export type SignInMethod =
  | { method: 'password' | 'registration' | 'invitation' | 'bootstrap'; source: MfaSource | null }
  | { method: 'passkey'; source: 'passkey'; providerId?: string }
  | { method: 'sso' | 'sso-partner'; source: 'idp' | null; providerId: string }

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  sessions: Sessions
  challenges: Challenges
  membershipSelection: MembershipSelection
  signInAttempts: SignInAttempts
  policy: MfaPolicy
  allowlist: IpAllowlist
}

/** What every way of signing in has in common: who is admitted, and how the session begins. */
export class SignIn {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * The membership that a user with the right password or passkey may sign in to.
   * @throws AppError `invalid_credentials` for an account that is not active or has no open tenant, `login_ip_not_allowed`
   */
  admit(user: User, context: SignInContext): Membership {
    const { db, membershipSelection } = this.#dependencies
    const { origin } = context
    if (user.status !== 'active') this.refuse(user, origin, 'account_inactive')
    const membership = membershipSelection.find(user, context)
    if (!membership) this.refuse(user, origin, isPasswordClosed(db, user) ? 'sso_required' : 'tenant_inactive')
    this.#assertAddress(user, membership, origin)
    return membership
  }

  /** @throws AppError `mfa_challenge_expired` */
  openChallenge(tempToken: string, origin: Origin): OpenChallenge {
    return this.#dependencies.challenges.find(tempToken, (user) =>
      this.refuse(user, origin, 'mfa_pending_invalidated', 'mfa_challenge_expired'),
    )
  }

  /**
   * Begins the session. An open invitation to the membership is accepted with it.
   * @param consume runs inside the transaction before the session is saved: uses up what authorizes the sign-in, or creates
   *   the user who registers
   */
  async complete(
    user: User,
    membership: Membership,
    origin: Origin,
    method: SignInMethod,
    consume: (actor: PersonActor) => void,
  ): Promise<SignedIn> {
    const { db, sessions, signInAttempts, policy, audit } = this.#dependencies
    this.#assertAddress(user, membership, origin)
    const { issued, save } = await sessions.prepare(user, membership, origin, method)
    const actor = personActor(user, membership, origin)
    const enrollment = db.transaction(() => {
      consume(actor)
      // The account may have changed while the tokens were signed.
      const now = findUser(db, user.id)
      if (now?.auth_epoch !== user.auth_epoch || now.mfa_epoch !== user.mfa_epoch || now.status !== 'active')
        throw new AppError('invalid_credentials')
      this.#acceptInvitation(user, membership, actor)
      save()
      if (method.method === 'password') signInAttempts.forgive(origin, now.email)
      audit(actor, {
        ...aboutPerson(user, membership),
        action: 'user.login',
        details: { ...method, mfa: method.source !== null, scope: membership.kind },
      })
      return policy.openEnrollment(now, policy.requirementOf(membership))
    })
    return { user: findUser(db, user.id) ?? user, issued, enrollment, isVouchedFor: 'providerId' in method }
  }

  /** Refuses with `code`; the reason goes into the audit log only. */
  refuse(user: User, origin: Origin, reason: string, code: ErrorCode = 'invalid_credentials'): never {
    this.#recordRefusal(user, findMembership(this.#dependencies.db, user), origin, reason)
    throw new AppError(code)
  }

  #acceptInvitation(user: User, membership: Membership, actor: PersonActor): void {
    const { db, clock, audit } = this.#dependencies
    const id = membershipIdOf(membership)
    const now = isoNow(clock)
    const invitation = id === null ? undefined : findOpenInvitation(db, user.id, id, now)
    if (!invitation) return
    acceptInvitation(db, invitation, now)
    audit(actor, { ...aboutPerson(user, membership), action: 'user.invite.accepted' })
  }

  #assertAddress(user: User, membership: Membership, origin: Origin): void {
    try {
      this.#dependencies.allowlist.assertAllowed(
        allowlistSubject(user, membership),
        origin,
        personActor(user, membership, origin),
        'login_ip_not_allowed',
      )
    } catch (error) {
      if (error instanceof AppError && error.code !== 'unavailable')
        this.#recordRefusal(user, membership, origin, 'ip_not_allowed')
      throw error
    }
  }

  #recordRefusal(user: User, membership: Membership | null, origin: Origin, reason: string): void {
    this.#dependencies.audit(personActor(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.login.failed',
      details: { reason },
      result: 'denied',
    })
  }
}
