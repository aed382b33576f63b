import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SafeStorage } from 'electron'
import { writeFileDurably } from '../shared/node/files.ts'

/**
 * The server encrypts secrets with a key ring in its data folder. On a desktop the key ring itself is encrypted with
 * a random key that only the operating system's keychain can give back, so that a copied data folder opens nothing.
 */

export type Keychain = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>

const keyBytes = 32

/**
 * The key for HOMEPORT_KEYRING_KEY (base64), kept encrypted in `file`. Undefined where the system has no keychain and
 * never had one: the key ring is then protected by file permissions alone, as when started headless.
 * Throws when the key exists but the keychain does not return it; starting without it could only lose secrets.
 */
export async function keyringKey(
  keychain: Keychain,
  file: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const isAvailable = await hasKeychain(keychain, platform)
  if (existsSync(file)) {
    if (!isAvailable)
      throw new Error('The keychain that protects the secrets is not available. Unlock it and try again.')
    return unwrap(keychain, file)
  }
  if (!isAvailable) return undefined
  const key = randomBytes(keyBytes).toString('base64')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileDurably(file, await keychain.encryptStringAsync(key))
  return key
}

async function unwrap(keychain: Keychain, file: string): Promise<string> {
  const { result, shouldReEncrypt } = await keychain.decryptStringAsync(readFileSync(file)).catch((cause: unknown) => {
    throw new Error(`The keychain cannot open ${file}. It was written by another user or on another machine.`, {
      cause,
    })
  })
  if (Buffer.from(result, 'base64').length !== keyBytes) throw new Error(`${file} is damaged.`)
  if (shouldReEncrypt) writeFileDurably(file, await keychain.encryptStringAsync(result))
  return result
}

/** On a Linux desktop without a keyring Electron encrypts with a well-known password: no protection at all. */
async function hasKeychain(keychain: Keychain, platform: NodeJS.Platform): Promise<boolean> {
  if (!(await keychain.isAsyncEncryptionAvailable())) return false
  return platform !== 'linux' || !['basic_text', 'unknown'].includes(keychain.getSelectedStorageBackend())
}
