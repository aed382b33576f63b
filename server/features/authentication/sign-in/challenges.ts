import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import { heldFactors } from '../../access/users/held-factors.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import { findUser, type Membership, membershipIdOf, type User } from '../../access/users/store.ts'
import type { Landing } from './membership-selection.ts'

const lifeMs = 5 * minute

interface Pending {
  userId: string
  /** Where the sign-in was to land; null for operators. */
  membershipId: string | null
  authEpoch: number
  mfaEpoch: number
  methods: MfaMethods
}

/** The password was right; a second factor stands before the session. */
export interface OpenChallenge {
  /** Names the challenge where its token has no business. */
  id: string
  user: User
  membership: Membership
  /** What the user could answer with when the challenge began. */
  offered: MfaMethods
  /** Of these, what is still permitted now. */
  methods: MfaMethods
  /** Uses the challenge up, inside the transaction that creates the session. */
  consume: () => void
}

export class Challenges {
  readonly #db: Database
  readonly #secrets: OneTimeSecrets
  readonly #policy: MfaPolicy
  readonly #landing: Landing

  constructor(db: Database, secrets: OneTimeSecrets, policy: MfaPolicy, landing: Landing) {
    this.#db = db
    this.#secrets = secrets
    this.#policy = policy
    this.#landing = landing
  }

  /** Begins one; the returned token is good for five minutes. */
  begin(user: User, membership: Membership, methods: MfaMethods): string {
    const tempToken = randomHex(32)
    const pending: Pending = {
      userId: user.id,
      membershipId: membershipIdOf(membership),
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
      methods,
    }
    this.#secrets.put('mfa_pending', tempToken, { userId: user.id, payload: pending, lifeMs })
    return tempToken
  }

  /**
   * Any change of password, factors or status since it began has ended it, and so has a tenant that insists on its
   * identity provider; `onInvalidated` says so and refuses.
   */
  find(tempToken: string, onInvalidated: (user: User) => never): OpenChallenge {
    const found = this.#secrets.find<Pending>('mfa_pending', tempToken)
    const pending = found?.payload
    const user = pending && findUser(this.#db, pending.userId)
    if (!user) throw new AppError('mfa_challenge_expired')
    const consume = () => {
      if (!found?.consume()) throw new AppError('mfa_challenge_expired')
    }
    const membership = this.#landing.resume(user, pending.membershipId)
    const isUnchanged =
      user.status === 'active' && user.auth_epoch === pending.authEpoch && user.mfa_epoch === pending.mfaEpoch
    if (!isUnchanged || !membership) {
      consume()
      return onInvalidated(user)
    }
    const permitted = this.#policy.permitted(heldFactors(this.#db, user), this.#policy.demandOn(membership))
    const { methods: offered } = pending
    return {
      id: sha256(tempToken),
      user,
      membership,
      offered,
      methods: {
        totp: offered.totp && permitted.totp,
        sms: offered.sms && permitted.sms,
        passkey: offered.passkey && permitted.passkey,
      },
      consume,
    }
  }
}
