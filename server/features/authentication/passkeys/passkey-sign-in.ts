import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError, rateLimited } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { OpenChallenge } from '../sign-in/challenges.ts'
import { notBefore, type SignedIn, type SignIn } from '../sign-in/sign-in.ts'
import { findUser } from '../../access/users/store.ts'
import type { Assertions, WebAuthnJson } from './assertions.ts'
import type { Party } from './relying-party.ts'

interface Parts {
  db: Database
  limits: RateLimits
  signIn: SignIn
  assertions: Assertions
  /** No answer comes sooner. */
  signInFloorMs: number
}

/** Signs in with a passkey: after the password, or instead of it. */
export class PasskeySignIn {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The challenge that answers a sign-in challenge. */
  async options(tempToken: string, party: Party | null, origin: Origin): Promise<WebAuthnJson> {
    const { limits, assertions } = this.#parts
    const { user } = this.#offered(tempToken, origin)
    limits.consume('passkey_options', user.id)
    const options = party && (await assertions.options(user, party, 'sign-in'))
    if (!options) throw new AppError('passkey_not_offered')
    return options
  }

  /** Ends a sign-in that began with the password. */
  async answer(tempToken: string, json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { limits, signIn, assertions } = this.#parts
    const { user, membership, consume } = this.#offered(tempToken, origin)
    limits.consume('mfa_verify', user.id)
    const use = await assertions.verify(user, json, 'sign-in').catch((error: unknown) => {
      if (error instanceof AppError) signIn.refuse(user, origin, error.code, error.code)
      throw error
    })
    return signIn.complete(user, membership, origin, { method: 'password', source: 'passkey' }, () => {
      consume()
      use()
    })
  }

  /** The challenge for signing in with nothing but a passkey. */
  async openOptions(party: Party | null, origin: Origin): Promise<WebAuthnJson> {
    // Where else this appliance is to be found is not told to a stranger.
    if (!party) throw new AppError('passkey_origin')
    // A challenge tells nothing and can not be guessed with: what is counted tightly are the answers refused.
    this.#parts.limits.consume('passkey_login_options', limitKey(origin.ip))
    return this.#parts.assertions.openOptions(party)
  }

  /** As with a password, every reason to refuse looks the same from outside. */
  alone(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    return notBefore(this.#parts.signInFloorMs, () => this.#limited(json, origin))
  }

  /** Only what is refused counts: a passkey that was right was no guess. */
  async #limited(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { limits } = this.#parts
    const address = limitKey(origin.ip)
    const waitMs = limits.retryAfterMs('passkey_login_refused', address)
    if (waitMs > 0) throw rateLimited('rate_limited', waitMs)
    try {
      return await this.#alone(json, origin)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
      limits.count('passkey_login_refused', address)
      throw new AppError('passkey_refused', {}, { cause: error })
    }
  }

  async #alone(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { db, signIn, assertions } = this.#parts
    const claim = assertions.claim(json)
    const user = claim && findUser(db, claim.credential.user_id)
    if (!user) throw new AppError('invalid_credentials')
    const use = await claim.judge().catch((error: unknown) => {
      if (error instanceof AppError) signIn.refuse(user, origin, 'passkey_rejected')
      throw error
    })
    const { sso_provider_id: providerId } = claim.credential
    const membership = signIn.admit(user, { origin, rpId: claim.credential.rp_id, providerId })
    const means = { method: 'passkey', source: 'passkey', ...(providerId !== null && { providerId }) } as const
    return signIn.complete(user, membership, origin, means, use)
  }

  #offered(tempToken: string, origin: Origin): OpenChallenge {
    const challenge = this.#parts.signIn.resume(tempToken, origin)
    if (!challenge.methods.passkey) throw new AppError('passkey_not_offered')
    return challenge
  }
}
