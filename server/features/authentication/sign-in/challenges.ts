import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import {
  findUser,
  heldFactors,
  type Membership,
  type MfaPolicy,
  membershipIdOf,
  type User,
} from '../../access/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { MembershipSelection } from './membership-selection.ts'

const lifeMs = 5 * minute

/** A sign-in whose password was right and that waits for a second factor. */
export interface OpenChallenge {
  /** Identifies the challenge without revealing its token. */
  id: string
  user: User
  membership: Membership
  /** The factors that were offered when the challenge began. */
  offered: MfaMethods
  /** Of these, the ones still permitted. */
  methods: MfaMethods
  /** Uses the challenge up, inside the transaction that creates the session. */
  consume: () => void
}

/** Sign-ins that wait for their second factor. */
export class Challenges {
  readonly #db: Database
  readonly #secrets: OneTimeSecrets
  readonly #policy: MfaPolicy
  readonly #selection: MembershipSelection

  constructor(db: Database, secrets: OneTimeSecrets, policy: MfaPolicy, membershipSelection: MembershipSelection) {
    this.#db = db
    this.#secrets = secrets
    this.#policy = policy
    this.#selection = membershipSelection
  }

  /** @returns the token of the challenge, good for five minutes */
  begin(user: User, membership: Membership, methods: MfaMethods): string {
    const tempToken = randomHex(32)
    const pending = {
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
   * A change of password, factors or status since the challenge began invalidates it, and so does a tenant that enforces
   * single sign-on by now.
   * @param onInvalidated records that, and throws
   * @throws AppError `mfa_challenge_expired` for an unknown or expired token
   */
  find(tempToken: string, onInvalidated: (user: User) => never): OpenChallenge {
    const found = this.#secrets.find('mfa_pending', tempToken)
    const pending = found?.payload
    const user = pending && findUser(this.#db, pending.userId)
    if (!user) throw new AppError('mfa_challenge_expired')
    const consume = () => {
      if (!found?.consume()) throw new AppError('mfa_challenge_expired')
    }
    const membership = this.#selection.resume(user, pending.membershipId)
    const isUnchanged =
      user.status === 'active' && user.auth_epoch === pending.authEpoch && user.mfa_epoch === pending.mfaEpoch
    if (!isUnchanged || !membership) {
      consume()
      return onInvalidated(user)
    }
    const permitted = this.#policy.permittedFactors(heldFactors(this.#db, user), this.#policy.requirementOf(membership))
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
