import { sql } from 'kysely'
import type { EncryptionKey } from '../../../shared/api/backup-keys.ts'
import { q } from '../../db/query.ts'

const opens = sql<number>`(
  SELECT count(*) FROM (
    SELECT id FROM backup_repositories WHERE key_id = storage_encryption_keys.id
    UNION SELECT repository_id FROM backup_repository_keys WHERE key_id = storage_encryption_keys.id
    UNION SELECT id FROM backup_vault_repositories WHERE key_id = storage_encryption_keys.id
    UNION SELECT id FROM backup_vault_repositories WHERE next_key_id = storage_encryption_keys.id
    UNION SELECT id FROM backup_vault_repositories WHERE former_key_id = storage_encryption_keys.id))`

/** Without the material. */
export const keyRows = () =>
  q
    .selectFrom('storage_encryption_keys')
    .select([
      ...(['id', 'org_id', 'name', 'key_type', 'key_hash', 'is_managed', 'is_active'] as const),
      ...(['rotated_at', 'expires_at', 'locked_away_at', 'created_at'] as const),
      opens.as('repositories'),
    ])

export interface KeyRow {
  id: string
  org_id: string
  name: string
  key_type: EncryptionKey['keyType']
  key_hash: string
  is_managed: 0 | 1
  is_active: 0 | 1
  rotated_at: string | null
  expires_at: string | null
  locked_away_at: string | null
  created_at: string
  repositories: number
}

export const keyView = (row: KeyRow): EncryptionKey => ({
  id: row.id,
  name: row.name,
  keyType: row.key_type,
  keyHash: row.key_hash,
  isActive: row.is_active === 1,
  hasDecryptMaterial: true,
  managedRestoreSupported: row.is_managed === 1,
  repositories: row.repositories,
  lockedAwayAt: row.locked_away_at,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
  expiresAt: row.expires_at,
})
