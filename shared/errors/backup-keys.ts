import type { Refusals } from './refusals.ts'

export const backupKeysErrors = {
  backup_key_not_found: { status: 404, error: 'Encryption key not found', onScreen: 'This key no longer exists.' },
  backup_key_inactive: {
    status: 400,
    error: 'Cannot rotate an inactive key',
    onScreen: 'This key is no longer in use, so it can’t be rotated.',
  },
  backup_key_needs_material: {
    status: 400,
    error: 'The appliance makes keys of type aes_256 only; supply key material for any other',
    onScreen: 'The appliance only makes AES-256 keys. For another type, supply the key material.',
  },
  backup_key_material_incomplete: {
    status: 400,
    error: 'Key material needs both the encrypted private key and the key hash',
    onScreen: 'Supply both the encrypted key and its hash, or neither.',
  },
  backup_key_is_yours: {
    status: 400,
    error: 'The material of this key was supplied; supply that of the new one as well',
    onScreen: 'The material of this key came from you. Supply that of the new key as well.',
  },
  backup_key_is_managed: {
    status: 400,
    error: 'The appliance makes the material of this key; a key with supplied material opens no repository',
    onScreen: 'The appliance makes this key itself. Leave the key material out.',
  },
  backup_key_referenced: {
    status: 409,
    error: 'Encryption key is referenced by backup snapshots and must remain available for restore',
    onScreen:
      'Backups need this key. Rotate it; once every repository has the new key, the old one is no longer needed.',
  },
  backup_repository_missing: {
    status: 409,
    error: 'The repository is not there',
    onScreen: 'The repository isn’t there. Is the storage connected?',
  },
} as const satisfies Refusals
