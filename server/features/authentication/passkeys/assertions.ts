import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { decodeClientDataJSON, isoBase64URL } from '@simplewebauthn/server/helpers'
import { z } from 'zod'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import { isRecord } from '../../../../shared/objects.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { User } from '../../access/index.ts'
import type { Party } from '../relying-party/relying-party.ts'
import { type Ceremonies, type Ceremony, ceremonyLifeMs } from './ceremonies.ts'
import { type Credential, descriptorOf, findCredential, passkeysOf, userHandleOf } from './credentials.ts'

export type WebAuthnJson = Record<string, unknown>

/** Why a known user is asked for a signature. */
export type Purpose = 'sign-in' | 'step-up'

/** WebAuthn assertions: challenges for passkeys, and the verification of their answers. */
export class Assertions {
  readonly #db: Database
  readonly #clock: Clock
  readonly #ceremonies: Ceremonies

  constructor(db: Database, clock: Clock, ceremonies: Ceremonies) {
    this.#db = db
    this.#clock = clock
    this.#ceremonies = ceremonies
  }

  /** A challenge for the passkeys of this user that work at this relying party; null where there are none. */
  async options(user: User, party: Party, purpose: Purpose): Promise<WebAuthnJson | null> {
    const credentials = passkeysOf(this.#db, user.id, party.id)
    if (credentials.length === 0) return null
    const options = await requestOptions(party, credentials)
    this.#ceremonies.begin('webauthn_auth', keyOf(user, purpose), user.id, ceremonyOf(options.challenge, party))
    return { ...options }
  }

  /** A challenge for any discoverable passkey; it is found again by its own value. */
  async openOptions(party: Party): Promise<WebAuthnJson> {
    const options = await requestOptions(party)
    this.#ceremonies.begin('webauthn_auth', openKeyOf(options.challenge), null, ceremonyOf(options.challenge, party))
    return { ...options }
  }

  /**
   * @returns a function that uses the answer up, to be called inside the transaction of what it authorizes
   * @throws AppError `passkey_challenge_missing`, `passkey_not_yours`, `mfa_proof_invalid`
   */
  async verify(user: User, json: WebAuthnJson, purpose: Purpose): Promise<() => void> {
    const ceremony = this.#ceremonies.take('webauthn_auth', keyOf(user, purpose))
    if (!ceremony) throw new AppError('passkey_challenge_missing')
    const credential = findCredential(this.#db, String(json.id))
    // The same answer for an unknown passkey and for one of another user.
    if (credential?.user_id !== user.id) throw new AppError('passkey_not_yours')
    return this.#verify(ceremony, credential, json, 'mfa_proof_invalid')
  }

  /** The passkey that an answer to an open challenge names; `verify` checks the answer. */
  claim(json: WebAuthnJson): { credential: Credential; verify: () => Promise<() => void> } | null {
    const challenge = challengeIn(json)
    const ceremony = challenge === null ? undefined : this.#ceremonies.take('webauthn_auth', openKeyOf(challenge))
    const credential = findCredential(this.#db, String(json.id))
    if (!ceremony || !credential) return null
    const verify = async () => {
      // Nothing else identifies the user, so the authenticator has to.
      if (handleIn(json) === undefined) throw new AppError('invalid_credentials')
      return this.#verify(ceremony, credential, json, 'invalid_credentials')
    }
    return { credential, verify }
  }

  async #verify(
    { challenge, origin, rpId }: Ceremony,
    credential: Credential,
    json: WebAuthnJson,
    refusal: ErrorCode,
  ): Promise<() => void> {
    const handle = handleIn(json)
    const isOwners = handle === undefined || handle === isoBase64URL.fromBuffer(userHandleOf(credential.user_id))
    if (!isOwners || credential.rp_id !== rpId) throw new AppError(refusal)
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: responseOf(json, refusal),
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: {
        id: credential.credential_id,
        publicKey: isoBase64URL.toBuffer(credential.public_key),
        counter: credential.counter,
      },
    }).catch((cause: unknown) => {
      throw new AppError(refusal, {}, { cause })
    })
    if (!verified) throw new AppError(refusal)
    return () => this.#use(credential.id, authenticationInfo, refusal)
  }

  /** WebAuthn 6.1.1: the counter of an authenticator that keeps one rises with each use, or the authenticator was cloned. */
  #use(
    id: string,
    { newCounter, credentialBackedUp }: { newCounter: number; credentialBackedUp: boolean },
    refusal: ErrorCode,
  ): void {
    const used = this.#db.run(
      q
        .updateTable('user_passkeys')
        .set({ counter: newCounter, backed_up: credentialBackedUp ? 1 : 0, last_used_at: isoNow(this.#clock) })
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .where((where) => where.or([where('counter', '=', 0), where('counter', '<', newCounter)])),
    )
    if (used === 0) throw new AppError(refusal)
  }
}

const keyOf = (user: User, purpose: Purpose) => `${user.id} ${purpose}`
/** The prefix keeps a challenge chosen by an anonymous client from being the key of a user's challenge. */
const openKeyOf = (challenge: string) => `open ${challenge}`
const ceremonyOf = (challenge: string, { id, origin }: Party): Ceremony => ({ challenge, origin, rpId: id })

const requestOptions = (party: Party, credentials: readonly Credential[] = []) =>
  generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: credentials.map(descriptorOf),
    timeout: ceremonyLifeMs,
    userVerification: 'required',
  })

/** The parts of a WebAuthn `AuthenticationResponseJSON` that are verified. */
const assertionSchema = z.object({
  id: z.string(),
  rawId: z.string(),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
    userHandle: z.string().nullish(),
  }),
})

/** @throws AppError `refusal` */
function responseOf(json: WebAuthnJson, refusal: ErrorCode): AuthenticationResponseJSON {
  const { data, error } = assertionSchema.safeParse(json)
  if (!data) throw new AppError(refusal, {}, { cause: error })
  const { userHandle, ...response } = data.response
  return {
    ...data,
    response: { ...response, ...(typeof userHandle === 'string' && { userHandle }) },
    clientExtensionResults: {},
  }
}

const responseIn = (json: WebAuthnJson) => (isRecord(json.response) ? json.response : {})

function challengeIn(json: WebAuthnJson): string | null {
  try {
    const { challenge } = decodeClientDataJSON(String(responseIn(json).clientDataJSON))
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

/** Base64url without padding; undefined where the authenticator sent no user handle. */
function handleIn(json: WebAuthnJson): string | undefined {
  const { userHandle } = responseIn(json)
  return userHandle === undefined || userHandle === null ? undefined : String(userHandle)
}
