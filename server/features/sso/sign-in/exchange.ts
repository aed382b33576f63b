import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { sha256 } from '../../../platform/secrets.ts'
import { findUser, type TenantMembership, type User } from '../../access/index.ts'
import type { SignIn } from '../../authentication/index.ts'
import { findProvider, isOwnerUsable, ownerOf, type Provider } from '../provider/store.ts'
import { membershipAt } from './resolution.ts'

interface Dependencies {
  db: Database
  clock: Clock
  signIn: SignIn
}

interface CheckedGrant {
  user: User
  membership: TenantMembership
  provider: Provider
}

/** Exchanges one-time codes for sessions. */
export class Exchange {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Uses the code up, whatever the outcome.
   * @param isBound the request comes from the browser the code was issued to, or from a client that is no browser
   * @throws AppError `sso_exchange_invalid`, whatever the reason
   */
  async redeem(code: string, isBound: boolean, origin: Origin) {
    const { db, clock, signIn } = this.#dependencies
    const [grant] = db.write(
      q
        .deleteFrom('sso_exchange_grants')
        .where('code_digest', '=', sha256(code))
        .where('expires_at', '>', isoNow(clock))
        .returningAll(),
    )
    if (!grant || !isBound) throw new AppError('sso_exchange_invalid')
    const check = () => checkGrant(db, grant)
    const { user, membership, provider } = check()
    const method = {
      method: provider.org_id === null ? 'sso-partner' : 'sso',
      source: grant.mfa ? 'idp' : null,
      providerId: provider.id,
    } as const
    // Checked again in the transaction, because signing the tokens takes time.
    return signIn.complete(user, membership, origin, method, () => void check())
  }
}

function checkGrant(
  db: Database,
  grant: { user_id: string; provider_id: string; membership_id: string; auth_epoch: number; mfa_epoch: number },
): CheckedGrant {
  const user = findUser(db, grant.user_id)
  const provider = findProvider(db, grant.provider_id)
  const isUnchanged =
    user?.status === 'active' && user.auth_epoch === grant.auth_epoch && user.mfa_epoch === grant.mfa_epoch
  const isOpen = provider?.status === 'active' && isOwnerUsable(db, ownerOf(provider))
  const membership = isUnchanged && isOpen ? membershipAt(db, ownerOf(provider), user.id) : undefined
  if (!user || !provider || membership?.id !== grant.membership_id) throw new AppError('sso_exchange_invalid')
  return { user, membership, provider }
}
