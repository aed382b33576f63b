import type { EncryptionKey } from '../../../shared/api/backup-keys.ts'

/** Active keys of which nobody has said that their recovery sheet is locked away. */
export const unprintedKeys = (keys: readonly EncryptionKey[]): EncryptionKey[] =>
  keys.filter((key) => key.isActive && key.managedRestoreSupported && key.lockedAwayAt === null)
