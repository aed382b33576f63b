import { randomBytes } from 'node:crypto'
import { sha256 } from '../../platform/secrets.ts'

export const keyFormat = /^svc_[\w-]{32}$/

/** 192 random bits. What is stored of a key is its hash, and its beginning to tell it from others. */
export function newKey(): { key: string; stored: { key_hash: string; key_prefix: string } } {
  const key = `svc_${randomBytes(24).toString('base64url')}`
  return { key, stored: { key_hash: sha256(key), key_prefix: key.slice(0, 12) } }
}
