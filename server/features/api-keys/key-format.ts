import { randomBytes } from 'node:crypto'
import { sha256 } from '../../platform/secrets.ts'

export const keyFormat = /^svc_[\w-]{32}$/

/** A new key of 192 random bits. Stored are only its SHA-256 and its first characters, by which people recognize it. */
export function newKey(): { key: string; stored: { key_hash: string; key_prefix: string } } {
  const key = `svc_${randomBytes(24).toString('base64url')}`
  return { key, stored: { key_hash: sha256(key), key_prefix: key.slice(0, 12) } }
}
