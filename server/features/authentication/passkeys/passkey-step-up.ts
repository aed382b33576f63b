import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { User } from '../../access/index.ts'
import type { PasskeyVerifier } from '../factors/step-up.ts'
import type { Party } from '../relying-party/relying-party.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'
import type { Assertions, WebAuthnJson } from './assertions.ts'

/** Step-up with a passkey. */
export class PasskeyStepUp implements PasskeyVerifier {
  readonly #db: Database
  readonly #limits: RateLimits
  readonly #assertions: Assertions

  constructor(db: Database, limits: RateLimits, assertions: Assertions) {
    this.#db = db
    this.#limits = limits
    this.#assertions = assertions
  }

  async options(actor: UserActor, party: Party): Promise<WebAuthnJson> {
    const user = signedInUser(this.#db, actor)
    this.#limits.consume('passkey_options', `step-up ${user.id}`)
    const options = await this.#assertions.options(user, party, 'step-up')
    if (!options) throw new AppError('no_passkey')
    return options
  }

  async verify(user: User, json: WebAuthnJson): Promise<(() => void) | null> {
    try {
      return await this.#assertions.verify(user, json, 'step-up')
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
}
