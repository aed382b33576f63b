import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { sha256 } from '../../../platform/secrets.ts'
import { findUser, type SignIn, type TenantMembership, type User } from '../../access/index.ts'
import { findProvider, isOwnerUsable, ownerOf, type Provider } from '../store.ts'
import { membershipAt } from './resolution.ts'

interface Parts {
  db: Database
  clock: Clock
  signIn: SignIn
}

interface Entitled {
  user: User
  membership: TenantMembership
  provider: Provider
}

/** Turns one-time codes into sessions. */
export class Exchange {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Uses the code up, whatever comes of it. `isBound`: the request comes from the browser it was given to, or from none.
   * @throws AppError `sso_exchange_invalid` whatever is wrong with it
   */
  async redeem(code: string, isBound: boolean, origin: Origin) {
    const { db, clock, signIn } = this.#parts
    const [grant] = db.write(
      q
        .deleteFrom('sso_exchange_grants')
        .where('code_digest', '=', sha256(code))
        .where('expires_at', '>', isoNow(clock))
        .returningAll(),
    )
    if (!grant || !isBound) throw new AppError('sso_exchange_invalid')
    const entitled = () => entitledBy(db, grant)
    const { user, membership, provider } = entitled()
    const means = {
      method: provider.org_id === null ? 'sso-partner' : 'sso',
      source: grant.mfa ? 'idp' : null,
      providerId: provider.id,
    } as const
    // Once more after the tokens are signed: that takes a moment.
    return signIn.complete(user, membership, origin, means, () => void entitled())
  }
}

function entitledBy(
  db: Database,
  grant: { user_id: string; provider_id: string; membership_id: string; auth_epoch: number; mfa_epoch: number },
): Entitled {
  const user = findUser(db, grant.user_id)
  const provider = findProvider(db, grant.provider_id)
  const isUnchanged =
    user?.status === 'active' && user.auth_epoch === grant.auth_epoch && user.mfa_epoch === grant.mfa_epoch
  const isOpen = provider?.status === 'active' && isOwnerUsable(db, ownerOf(provider))
  const membership = isUnchanged && isOpen ? membershipAt(db, ownerOf(provider), user.id) : undefined
  if (!user || !provider || membership?.id !== grant.membership_id) throw new AppError('sso_exchange_invalid')
  return { user, membership, provider }
}
