import { createHash, createHmac, randomBytes } from 'node:crypto'

/**
 * A managed key: 32 bytes, in hex. The password of a repository follows from it and the name of the folder in which the
 * repository lies, so that a device which holds the password of its own opens no other one, and one key on paper opens
 * all. It is an HMAC, in hex, which openssl can compute as well.
 */
const recoveryKey = /^[0-9a-f]{64}$/

export const newRecoveryKey = (): string => randomBytes(32).toString('hex')
export const isRecoveryKey = (material: string): boolean => recoveryKey.test(material)

/** SHA-256, in hex. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key, 'hex').digest('hex')

/** `material` of a key from the time when each repository had its own is the password itself. */
export const passwordFrom = (material: string, folderName: string): string =>
  isRecoveryKey(material)
    ? createHmac('sha256', Buffer.from(material, 'hex')).update(folderName).digest('hex')
    : material
