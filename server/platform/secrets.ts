import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileDurably } from '../../shared/node/files.ts'
import type { SecretOverrides } from '../config/config.ts'

export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')
export const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** Compares two texts without telling by its duration where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const keyRing = z.looseObject({
  /** 32 bytes each, base64; the first encrypts, all decrypt. */
  encryption: z.tuple([z.string()], z.string()),
  jwt: z.string(),
  pepper: z.string(),
  recoveryPepper: z.string(),
})
type KeyRing = z.infer<typeof keyRing>

/** Encrypted with a key from the keychain of a desktop. */
const wrappedRing = z.object({ wrapped: z.string() })

/** Whether a key ring file can be read only with the keychain of its desktop. */
export const isWrappedRing = (text: string): boolean => wrappedRing.safeParse(JSON.parse(text)).success

/** The appliance's own secrets. They live in `<data>/keyring.json`, readable by its owner only. */
export interface Secrets {
  jwtKey: Uint8Array
  /** SHA-256 of pepper and raw key, as enrollment keys are stored. */
  enrollmentKeyHash(raw: string): string
  recoveryCodeHash(code: string): string
  /**
   * The token in a link of a mail, 43 characters of base64url. It follows from the id of its record and a key of this
   * appliance, so it is stored nowhere and a mail that is tried again carries the same one.
   */
  linkToken(kind: string, id: string): string
  /** Signs the cookie that tells known browsers from unknown ones. */
  knownBrowserKey: Uint8Array
  /** HMAC-SHA-256 over the ends of a chain of audit events. */
  sealLog(ends: string): string
  /** HMAC-SHA256, hex, for a cookie: what came back `value` began in the same browser. */
  browserBinding(purpose: string, value: string): string
  /** AES-256-GCM; `context` is authenticated, so a value cannot be moved to another column or row. */
  encrypt(plain: string, context: string): string
  decrypt(sealed: string, context: string): string
}

export function openSecrets(dataDir: string, overrides: SecretOverrides = {}): Secrets {
  const ring = loadRing(join(dataDir, 'keyring.json'), overrides.wrappingKey)
  const [first, ...others] = ring.encryption
  const stored: [Buffer, ...Buffer[]] = [fromBase64(first), ...others.map(fromBase64)]
  const keys: typeof stored = overrides.encryptionKey
    ? [createHash('sha256').update(overrides.encryptionKey).digest(), ...stored]
    : stored
  const pepper = overrides.enrollmentPepper ?? ring.pepper
  const linkKey = Buffer.from(hkdfSync('sha256', ring.jwt, '', 'links in mail', 32))
  const knownBrowserKey = new Uint8Array(hkdfSync('sha256', ring.jwt, '', 'known browsers', 32))
  const logKey = Buffer.from(hkdfSync('sha256', ring.jwt, '', 'audit log', 32))
  const cookieKey = Buffer.from(hkdfSync('sha256', keys[0], '', 'single sign-on cookies', 32))
  const recoveryPepper = overrides.recoveryPepper ?? ring.recoveryPepper
  return {
    jwtKey: new TextEncoder().encode(overrides.jwtSecret ?? ring.jwt),
    enrollmentKeyHash: (raw) => sha256(`${pepper}:${raw}`),
    recoveryCodeHash: (code) => createHmac('sha256', recoveryPepper).update(code.trim().toUpperCase()).digest('hex'),
    knownBrowserKey,
    linkToken: (kind, id) => createHmac('sha256', linkKey).update(`${kind}:${id}`).digest('base64url'),
    browserBinding: (purpose, value) => createHmac('sha256', cookieKey).update(`${purpose}:${value}`).digest('hex'),
    sealLog: (ends) => createHmac('sha256', logKey).update(ends).digest('hex'),
    encrypt: (plain, context) => seal(keys[0], plain, context),
    decrypt: (sealed, context) => {
      for (const key of keys) {
        const plain = unseal(key, sealed, context)
        if (plain !== null) return plain
      }
      throw new Error(`A stored secret (${context}) cannot be decrypted with the keys of this appliance`)
    },
  }
}

const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64')

function loadRing(file: string, wrappingKey: string | undefined): KeyRing {
  const wrap = wrappingKey ? Buffer.from(wrappingKey, 'base64') : null
  if (wrap && wrap.length !== 32) throw new Error('HOMEPORT_KEYRING_KEY must be 32 bytes in base64')
  if (existsSync(file)) {
    chmodSync(file, 0o600)
    const text = readFileSync(file, 'utf8')
    if (!isWrappedRing(text)) {
      const ring = keyRing.parse(JSON.parse(text))
      if (wrap) saveRing(file, ring, wrap)
      return ring
    }
    const { wrapped } = wrappedRing.parse(JSON.parse(text))
    const plain = wrap && unseal(wrap, wrapped, 'keyring')
    if (!plain)
      throw new Error(`${file} is wrapped by the desktop's keychain; start the appliance with its desktop shell`)
    return keyRing.parse(JSON.parse(plain))
  }
  const ring: KeyRing = {
    encryption: [randomBytes(32).toString('base64')],
    jwt: randomHex(48),
    pepper: randomHex(32),
    recoveryPepper: randomHex(32),
  }
  saveRing(file, ring, wrap)
  return ring
}

const saveRing = (file: string, ring: KeyRing, wrap: Buffer | null) =>
  writeFileDurably(file, JSON.stringify(wrap ? { wrapped: seal(wrap, JSON.stringify(ring), 'keyring') } : ring))

function seal(key: Buffer, plain: string, context: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1:${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')}`
}

function unseal(key: Buffer, sealed: string, context: string): string | null {
  const bytes = Buffer.from(sealed.replace(/^v1:/, ''), 'base64')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
