import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { notBefore } from '../../../lib/response-floor.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  aboutPerson,
  findMembership,
  findUserByEmail,
  heldFactors,
  type Membership,
  type MfaPolicy,
  passkeyHostsOf,
  personActor,
  recoveryCodeHashes,
  type User,
} from '../../access/index.ts'
import { passwordMatches } from '../passwords/hashing.ts'
import { PasswordLock } from '../passwords/password-lock.ts'
import type { ResetLinks } from '../passwords/reset-links.ts'
import type { SignInAttempts } from '../passwords/sign-in-attempts.ts'
import type { KnownBrowsers, Visits } from '../sessions/known-browsers.ts'
import type { Challenges } from './challenges.ts'
import type { SignInContext } from './membership-selection.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

/**
 * Under load the hash alone takes longer than the floor of the whole answer. What follows the hash writes to the database
 * for existing accounts only, so it has a floor of its own: its duration must not tell whether there is an account.
 */
const decisionFloorMs = 100

/** The password was right; the user has to show a second factor. */
export interface Challenged {
  user: User
  tempToken: string
  methods: MfaMethods
  /** The user's factor is text messages, and none can be sent. */
  smsUnavailable: boolean
  /** Host names at which the user's passkeys work, where none works at the present one. */
  passkeyHosts: string[]
}

interface Dependencies {
  db: Database
  audit: Audit
  limits: RateLimits
  signInAttempts: SignInAttempts
  resetLinks: Pick<ResetLinks, 'announceLock'>
  signIn: SignIn
  challenges: Challenges
  policy: MfaPolicy
  knownBrowsers: KnownBrowsers
  isTwoFactorEnabled: boolean
  /** No answer takes less time. */
  signInFloorMs: number
}

/** Signing in with a password, up to the second factor. */
export class PasswordSignIn {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Whether the account is missing, locked or inactive, or the password wrong: every refusal has the same status, body and
   * duration.
   * @throws AppError `invalid_credentials`, `login_ip_not_allowed`, `rate_limited`
   */
  signIn(email: string, password: string, context: SignInContext): Promise<SignedIn | Challenged> {
    return notBefore(this.#dependencies.signInFloorMs, () => this.#signIn(email, password, context))
  }

  async #signIn(email: string, password: string, context: SignInContext) {
    const { db, signInAttempts, knownBrowsers, signInFloorMs } = this.#dependencies
    signInAttempts.count(context.origin, email)
    const visits = await knownBrowsers.read(context.browser)
    const user = findUserByEmail(db, email)
    const matches = await passwordMatches(user?.password_hash, password)
    return notBefore(Math.min(decisionFloorMs, signInFloorMs), () => this.#decide(user, matches, visits, context))
  }

  async #decide(user: User | undefined, matches: boolean, visits: Visits, context: SignInContext) {
    const { limits, signIn, isTwoFactorEnabled } = this.#dependencies
    const { origin, rpId } = context
    if (!user) throw new AppError('invalid_credentials')
    const browserId = visits.idFor(user)
    const lock = new PasswordLock(limits, user.id, browserId)
    // Checked after hashing: of many guesses sent at once, those after the fifth wrong one are refused.
    if (lock.remainingMs() > 0) signIn.refuse(user, origin, 'account_locked')
    if (!matches) this.#countWrongPassword(user, lock, browserId, origin)
    lock.release()
    const membership = signIn.admit(user, context)
    if (!isTwoFactorEnabled || !user.mfa_enabled)
      return signIn.complete(user, membership, origin, { method: 'password', source: null }, () => {})
    return this.#challenge(user, membership, origin, rpId)
  }

  #challenge(user: User, membership: Membership, origin: Origin, rpId: string | null): Challenged {
    const { db, policy, signIn, challenges } = this.#dependencies
    const hosts = passkeyHostsOf(db, user.id)
    const isUsableHere = rpId !== null && hosts.includes(rpId)
    const held = { ...heldFactors(db, user), passkey: isUsableHere }
    const requirement = policy.requirementOf(membership)
    const methods = policy.permittedFactors(held, requirement)
    const smsUnavailable = policy.isSmsUnavailable(held, requirement)
    const canAnswer = methods.totp || methods.sms || methods.passkey || recoveryCodeHashes(user).length > 0
    if (!canAnswer) signIn.refuse(user, origin, 'mfa_method_not_allowed')
    const tempToken = challenges.begin(user, membership, methods)
    return { user, tempToken, methods, smsUnavailable, passkeyHosts: isUsableHere ? [] : hosts }
  }

  #countWrongPassword(user: User, lock: PasswordLock, browserId: string | null, origin: Origin): never {
    const { db, audit, signIn, resetLinks } = this.#dependencies
    const isLockedNow = db.transaction(() => {
      if (!lock.countWrong()) return false
      const membership = findMembership(db, user)
      audit(personActor(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.locked',
        details: { browser: browserId === null ? 'unknown' : 'known', minutes: Math.ceil(lock.remainingMs() / minute) },
      })
      resetLinks.announceLock(user, browserId)
      return true
    })
    if (isLockedNow) signIn.refuse(user, origin, 'account_locked')
    return signIn.refuse(user, origin, user.password_hash ? 'invalid_password' : 'password_auth_not_available')
  }
}
