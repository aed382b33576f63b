import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import { heldFactors } from '../factors/held.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import { findMembership, findUser, type Membership, type User } from '../store.ts'

const lifeMs = 5 * minute

interface Pending {
  userId: string
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
  readonly #clock: Clock
  readonly #policy: MfaPolicy

  constructor(db: Database, clock: Clock, policy: MfaPolicy) {
    this.#db = db
    this.#clock = clock
    this.#policy = policy
  }

  /** Begins one; the returned token is good for five minutes. */
  begin(user: User, methods: MfaMethods): string {
    const tempToken = randomHex(32)
    const pending: Pending = {
      userId: user.id,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
      methods,
    }
    this.#db.run(
      q.insertInto('one_time_secrets').values({
        kind: 'mfa_pending',
        key_hash: sha256(tempToken),
        user_id: user.id,
        payload: JSON.stringify(pending),
        expires_at: iso(this.#clock.now() + lifeMs),
      }),
    )
    return tempToken
  }

  /** Any change of password, factors or status since it began has ended it; `onInvalidated` says so and refuses. */
  find(tempToken: string, onInvalidated: (user: User) => never): OpenChallenge {
    const key = sha256(tempToken)
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .select('payload')
        .where('kind', '=', 'mfa_pending')
        .where('key_hash', '=', key)
        .where('expires_at', '>', isoNow(this.#clock)),
    )
    const pending = row && (JSON.parse(row.payload) as Pending)
    const user = pending && findUser(this.#db, pending.userId)
    if (!user) throw new AppError('mfa_challenge_expired')
    const consume = () => this.#consume(key)
    const membership = findMembership(this.#db, user)
    const isUnchanged =
      user.status === 'active' && user.auth_epoch === pending.authEpoch && user.mfa_epoch === pending.mfaEpoch
    if (!isUnchanged || !membership) {
      consume()
      return onInvalidated(user)
    }
    const permitted = this.#policy.permitted(heldFactors(this.#db, user), this.#policy.demandOn(membership))
    const { methods: offered } = pending
    return {
      id: key,
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

  #consume(key: string): void {
    const consumed = this.#db.run(
      q.deleteFrom('one_time_secrets').where('kind', '=', 'mfa_pending').where('key_hash', '=', key),
    )
    if (consumed === 0) throw new AppError('mfa_challenge_expired')
  }
}
