import type { Database } from '../../../db/database.ts'
import { notBefore } from '../../../lib/response-floor.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError, rateLimited } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { findUser } from '../../access/index.ts'
import type { Party } from '../relying-party/relying-party.ts'
import type { OpenChallenge } from '../sign-in/challenges.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'
import type { Assertions, WebAuthnJson } from './assertions.ts'

interface Dependencies {
  db: Database
  limits: RateLimits
  signIn: SignIn
  assertions: Assertions
  /** No answer takes less time. */
  signInFloorMs: number
}

/** Signing in with a passkey, as second factor or instead of the password. */
export class PasskeySignIn {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** The WebAuthn challenge for the second step of a sign-in. */
  async options(tempToken: string, party: Party | null, origin: Origin): Promise<WebAuthnJson> {
    const { limits, assertions } = this.#dependencies
    const { user } = this.#offered(tempToken, origin)
    limits.consume('passkey_options', user.id)
    const options = party && (await assertions.options(user, party, 'sign-in'))
    if (!options) throw new AppError('passkey_not_offered')
    return options
  }

  /** Completes a sign-in that began with the password. */
  async answer(tempToken: string, json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { limits, signIn, assertions } = this.#dependencies
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

  /** The challenge for signing in with a passkey alone. */
  async openOptions(party: Party | null, origin: Origin): Promise<WebAuthnJson> {
    // The other addresses of the appliance are not told to anonymous clients.
    if (!party) throw new AppError('passkey_origin')
    // A generous limit: a challenge reveals nothing. The strict limit is that of refused answers.
    this.#dependencies.limits.consume('passkey_login_options', limitKey(origin.ip))
    return this.#dependencies.assertions.openOptions(party)
  }

  /** As with a password, all refusals have the same status, body and duration. */
  passwordless(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    return notBefore(this.#dependencies.signInFloorMs, () => this.#limited(json, origin))
  }

  /** Only refused answers count against the limit. */
  async #limited(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { limits } = this.#dependencies
    const address = limitKey(origin.ip)
    const waitMs = limits.retryAfterMs('passkey_login_refused', address)
    if (waitMs > 0) throw rateLimited('rate_limited', waitMs)
    try {
      return await this.#passwordless(json, origin)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
      limits.count('passkey_login_refused', address)
      throw new AppError('passkey_refused', {}, { cause: error })
    }
  }

  async #passwordless(json: WebAuthnJson, origin: Origin): Promise<SignedIn> {
    const { db, signIn, assertions } = this.#dependencies
    const claim = assertions.claim(json)
    const user = claim && findUser(db, claim.credential.user_id)
    if (!user) throw new AppError('invalid_credentials')
    const use = await claim.verify().catch((error: unknown) => {
      if (error instanceof AppError) signIn.refuse(user, origin, 'passkey_rejected')
      throw error
    })
    const { sso_provider_id: providerId } = claim.credential
    const membership = signIn.admit(user, { origin, rpId: claim.credential.rp_id, providerId })
    const method = { method: 'passkey', source: 'passkey', ...(providerId !== null && { providerId }) } as const
    return signIn.complete(user, membership, origin, method, use)
  }

  #offered(tempToken: string, origin: Origin): OpenChallenge {
    const challenge = this.#dependencies.signIn.openChallenge(tempToken, origin)
    if (!challenge.methods.passkey) throw new AppError('passkey_not_offered')
    return challenge
  }
}
