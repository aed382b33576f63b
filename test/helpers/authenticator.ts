import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

type Json = Record<string, unknown>

/** What an honest authenticator and browser would not do. */
export interface Misbehaviour {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  isUserVerified?: boolean
  /** Null leaves it out; another text names another user. */
  userHandle?: string | null
  type?: string
}

interface Held {
  id: string
  rpId: string
  userHandle: string
  counter: number
  isSynced: boolean
  keys: ReturnType<typeof keyPair>
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const flags = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 }

/**
 * A passkey device and the browser in front of it, in software: ES256, attestation "none", discoverable, user verified.
 * Answers the options of the server with the JSON a browser would send.
 */
export class Authenticator {
  readonly origin: string
  readonly #held: Held[] = []
  readonly #isSynced: boolean

  /** `isSynced`: as a password manager keeps passkeys, without counting signatures. */
  constructor(origin = 'http://localhost', { isSynced = false } = {}) {
    this.origin = origin
    this.#isSynced = isSynced
  }

  get ids(): string[] {
    return this.#held.map(({ id }) => id)
  }

  /** `navigator.credentials.create()`. */
  create(options: Json, wrong: Misbehaviour = {}): Json {
    const { challenge, rp, user, excludeCredentials } = options as {
      challenge: string
      rp: { id: string }
      user: { id: string }
      excludeCredentials: { id: string }[]
    }
    if (excludeCredentials.some(({ id }) => this.ids.includes(id))) throw new Error('InvalidStateError')
    const id = randomBytes(32)
    const held: Held = {
      id: base64url(id),
      rpId: rp.id,
      userHandle: user.id,
      counter: 0,
      isSynced: this.#isSynced,
      keys: keyPair(),
    }
    this.#held.push(held)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(held.keys.publicKey)])
    const authData = Buffer.concat([authenticatorData(held, wrong, flags.attested), attested])
    const attestationObject = isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<never, never>>([
        ['fmt', 'none'],
        ['attStmt', new Map<never, never>()],
        ['authData', Uint8Array.from(authData)],
      ]),
    )
    return {
      id: held.id,
      rawId: held.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(this.#clientData(wrong.type ?? 'webauthn.create', challenge, wrong)),
        attestationObject: base64url(attestationObject),
        transports: ['internal', 'hybrid', 'telepathy'],
      },
    }
  }

  /** `navigator.credentials.get()`: with the first passkey that the options name, or the newest where they name none. */
  get(options: Json, wrong: Misbehaviour = {}): Json {
    const { challenge, rpId, allowCredentials } = options as {
      challenge: string
      rpId: string
      allowCredentials?: { id: string }[]
    }
    const named = allowCredentials?.map(({ id }) => id) ?? []
    const held = this.#held.findLast((one) => one.rpId === rpId && (named.length === 0 || named.includes(one.id)))
    if (!held) throw new Error('NotAllowedError')
    return this.sign(held.id, challenge, wrong)
  }

  /** The answer of one passkey, for any origin and challenge. */
  sign(id: string, challenge: string, wrong: Misbehaviour = {}): Json {
    const held = this.#held.find((one) => one.id === id)
    if (!held) throw new Error(`no passkey ${id}`)
    if (!held.isSynced) held.counter++
    const clientData = this.#clientData(wrong.type ?? 'webauthn.get', challenge, wrong)
    const authData = authenticatorData(held, wrong)
    const userHandle = wrong.userHandle === undefined ? held.userHandle : wrong.userHandle
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', Buffer.concat([authData, sha256(clientData)]), held.keys.privateKey)),
        ...(userHandle !== null && { userHandle }),
      },
    }
  }

  /** A copy with the same keys and counters, as a thief would make it. */
  clone(): Authenticator {
    const copy = new Authenticator(this.origin, { isSynced: this.#isSynced })
    copy.#held.push(...this.#held.map((held) => ({ ...held })))
    return copy
  }

  /** Claims the id of a passkey without its key. */
  impostor(): Authenticator {
    const impostor = this.clone()
    for (const held of impostor.#held) held.keys = keyPair()
    return impostor
  }

  #clientData(type: string, challenge: string, wrong: Misbehaviour): string {
    return JSON.stringify({
      type,
      challenge: wrong.challenge ?? challenge,
      origin: wrong.origin ?? this.origin,
      crossOrigin: false,
    })
  }
}

function authenticatorData(held: Held, wrong: Misbehaviour, extraFlags = 0): Buffer {
  const verified = wrong.isUserVerified === false ? 0 : flags.verified
  const backup = held.isSynced ? flags.backupEligible | flags.backedUp : 0
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags.present | verified | backup | extraFlags)
  tail.writeUInt32BE(wrong.counter ?? held.counter, 1)
  return Buffer.concat([sha256(wrong.rpId ?? held.rpId), tail])
}

/** RFC 9052: an EC2 key for ES256 on P-256. */
function coseKey(publicKey: Held['keys']['publicKey']): Uint8Array {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
    ]),
  )
}
