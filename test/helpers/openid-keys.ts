import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { IdTokenClaims } from './openid-tampering.ts'

export interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** RSA, as most providers sign; `strangers` use the same `kid` for a key that was never published. */
export function signingKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
}

/** The key as a provider is configured with it. */
export const privateJwk = ({ kid, privateKey }: SigningKey) => ({
  ...privateKey.export({ format: 'jwk' }),
  kid,
  alg: 'RS256',
  use: 'sig',
})

/** An ID token signed by `key`; a header without `kid` is made with null. */
export const signed = (claims: IdTokenClaims, key: SigningKey, kid: string | null = key.kid): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...(kid !== null && { kid }) }).sign(key.privateKey)

/** `alg: none`. */
export const unsigned = (claims: IdTokenClaims): string => new UnsecuredJWT(claims).encode()

/** The classic confusion: HS256 with the published key as the shared secret. */
export const signedWithPublicKey = (claims: IdTokenClaims, key: SigningKey): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .sign(Buffer.from(key.publicKey.export({ type: 'spki', format: 'pem' })))
