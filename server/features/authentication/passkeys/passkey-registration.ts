import { randomUUID } from 'node:crypto'
import {
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  SettingsService,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { COSEALG, isoBase64URL } from '@simplewebauthn/server/helpers'
import { z } from 'zod'
import type { Passkey } from '../../../../shared/api/passkeys.ts'
import { isRecord } from '../../../../shared/objects.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { User } from '../../access/index.ts'
import type { FactorChanges } from '../factors/factor-changes.ts'
import type { Reauthentication } from '../factors/reauthentication.ts'
import type { RecoveryCodes } from '../factors/recovery-codes.ts'
import type { Party } from '../relying-party/relying-party.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'
import { findSession } from '../sessions/store.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import type { WebAuthnJson } from './assertions.ts'
import { type Ceremonies, ceremonyLifeMs, type RegistrationCeremony } from './ceremonies.ts'
import {
  type Credential,
  descriptorOf,
  passkeysOf,
  passkeyView,
  storedTransports,
  userHandleOf,
} from './credentials.ts'

// Those that both Node and Electron can verify: an appliance may move from one to the other.
const algorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256]

/** WebAuthn allows 1023 bytes, in base64url. */
const maxCredentialIdLength = 1364

// No attestation is requested. With no root certificates, one that is sent is not trusted, and no revocation list is
// fetched from an address the client chose.
for (const identifier of ['apple', 'android-key', 'android-safetynet'] as const)
  SettingsService.setRootCertificates({ identifier, certificates: [] })

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  reauthentication: Reauthentication
  factorChanges: FactorChanges
  recoveryCodes: RecoveryCodes
  ceremonies: Ceremonies
}

export interface Registered {
  issued: IssuedTokens
  passkey: Passkey
  /** Only with the first factor of an account. */
  recoveryCodes: string[] | undefined
}

/** The parts of a WebAuthn `RegistrationResponseJSON` that are verified. */
const registrationSchema = z.object({
  id: z.string(),
  rawId: z.string(),
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: z.string(), attestationObject: z.string() }),
})

/** @throws AppError `passkey_rejected` */
function responseOf(json: WebAuthnJson): RegistrationResponseJSON {
  const { data, error } = registrationSchema.safeParse(json)
  if (!data) throw new AppError('passkey_rejected', {}, { cause: error })
  return { ...data, clientExtensionResults: {} }
}

/** Registers new passkeys for the account of a session. */
export class PasskeyRegistration {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** The challenge for a new passkey; `name` is stored with it. */
  async options(
    actor: UserActor,
    party: Party,
    asked: { currentPassword?: string | undefined; name?: string | undefined; stepUpGrantId?: string | undefined },
  ): Promise<WebAuthnJson> {
    const { db, limits, reauthentication, ceremonies } = this.#dependencies
    const user = signedInUser(db, actor)
    limits.consume('passkey_options', `register ${user.id}`)
    await reauthentication.assertOwner(actor, user, asked.currentPassword, 'passkey', true)
    reauthentication.assertFactor(actor, user, asked.stepUpGrantId, 'add_factor')
    const isOwners = asked.currentPassword !== undefined
    const options = await generateRegistrationOptions({
      rpName: party.name,
      rpID: party.id,
      userID: userHandleOf(user.id),
      userName: user.email,
      userDisplayName: user.name,
      timeout: ceremonyLifeMs,
      excludeCredentials: passkeysOf(db, user.id, party.id).map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    })
    ceremonies.begin('webauthn_reg', user.id, user.id, {
      challenge: options.challenge,
      origin: party.origin,
      rpId: party.id,
      name: asked.name ?? null,
      sessionId: actor.sessionId,
      mfaEpoch: user.mfa_epoch,
      providerId: isOwners ? null : (findSession(db, actor.sessionId)?.sso_provider_id ?? null),
    })
    return { ...options }
  }

  /** Saves the new passkey. The caller's session goes on, all others end. */
  async verify(
    actor: UserActor,
    json: WebAuthnJson,
    asked: { name?: string | undefined; stepUpGrantId?: string | undefined },
  ): Promise<Registered> {
    const { db, ceremonies, reauthentication, factorChanges, recoveryCodes } = this.#dependencies
    const user = signedInUser(db, actor)
    const ceremony = ceremonies.take('webauthn_reg', user.id)
    if (ceremony?.sessionId !== actor.sessionId || ceremony.mfaEpoch !== user.mfa_epoch)
      throw new AppError('passkey_challenge_missing')
    const useGrant = reauthentication.assertFactor(actor, user, asked.stepUpGrantId, 'add_factor')
    const credential = await this.#verify(user, ceremony, json, asked.name)
    const codes = user.mfa_enabled ? undefined : recoveryCodes.generate()
    const issued = await factorChanges.commit(actor, {
      session: 'rebind',
      source: 'passkey',
      reason: 'passkey-added',
      event: { action: 'auth.mfa.passkey.register', details: { passkeyId: credential.id, rpId: credential.rp_id } },
      apply: () => {
        useGrant()
        this.#save(credential)
        return codes ? { mfa_enabled: 1, mfa_method: 'passkey', mfa_recovery_codes: recoveryCodes.hashed(codes) } : {}
      },
    })
    return { issued, passkey: passkeyView(credential), recoveryCodes: codes }
  }

  async #verify(
    user: User,
    ceremony: RegistrationCeremony,
    json: WebAuthnJson,
    name: string | undefined,
  ): Promise<Credential> {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: responseOf(json),
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.origin,
      expectedRPID: ceremony.rpId,
      supportedAlgorithmIDs: algorithms,
    }).catch((cause: unknown) => {
      throw new AppError('passkey_rejected', {}, { cause })
    })
    if (!verified || registrationInfo.credential.id.length > maxCredentialIdLength)
      throw new AppError('passkey_rejected')
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo
    const now = isoNow(this.#dependencies.clock)
    return {
      id: randomUUID(),
      user_id: user.id,
      credential_id: credential.id,
      public_key: isoBase64URL.fromBuffer(credential.publicKey),
      counter: credential.counter,
      rp_id: ceremony.rpId,
      device_type: credentialDeviceType,
      backed_up: credentialBackedUp ? 1 : 0,
      transports: storedTransports(isRecord(json.response) ? json.response.transports : []),
      name: name ?? ceremony.name ?? 'Passkey',
      aaguid,
      last_used_at: null,
      disabled_at: null,
      created_at: now,
      updated_at: now,
      sso_provider_id: ceremony.providerId,
    }
  }

  #save(credential: Credential): void {
    const saved = this.#dependencies.db.run(
      q
        .insertInto('user_passkeys')
        .values(credential)
        .onConflict((conflict) => conflict.column('credential_id').doNothing()),
    )
    // Credential ids are unique: this one was copied from another registration.
    if (saved === 0) throw new AppError('passkey_rejected')
  }
}
