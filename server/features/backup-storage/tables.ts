import type { Generated } from 'kysely'
import type { ProviderCapabilities, StorageProviderName } from '../../../shared/api/backup-configs.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface StorageEncryptionKeyTable {
  id: string
  org_id: string
  name: string
  key_type: Generated<'aes_256' | 'rsa_2048'>
  public_key_pem: string | null
  encrypted_private_key: string
  key_hash: string
  is_managed: Generated<Flag>
  is_active: Generated<Flag>
  rotated_at: string | null
  expires_at: string | null
  replaced_by: string | null
  locked_away_at: string | null
  sheet_reminded_at: string | null
  created_at: string
  updated_at: string
}

export interface BackupConfigTable {
  id: string
  org_id: string
  name: string
  provider: StorageProviderName
  provider_config: string
  is_active: Generated<Flag>
  is_default: Generated<Flag>
  encryption: Generated<Flag>
  provider_capabilities: JsonText<ProviderCapabilities> | null
  provider_capabilities_checked_at: string | null
  created_at: string
  updated_at: string
}

export interface BackupRepositoryTable {
  id: string
  org_id: string
  config_id: string
  device_id: string
  engine: Generated<'restic'>
  sub_path: string
  key_id: string
  state: Generated<'new' | 'ready' | 'broken' | 'retired'>
  stored_bytes: Generated<number>
  last_check_at: string | null
  last_prune_at: string | null
  lock_until: string | null
  maintained_at: string | null
  maintenance_error: string | null
  measured_at: string | null
  data_bytes: number | null
  uncompressed_bytes: number | null
  files_bytes: number | null
  is_in_store: Generated<Flag>
  key_tried_at: string | null
  key_error: string | null
  created_at: string
  updated_at: string
}

export interface BackupRepositoryKeyTable {
  id: string
  repository_id: string
  key_id: string
  created_at: string
}

export const backupStorageTables = {
  storage_encryption_keys: table<StorageEncryptionKeyTable>({
    writtenBy: ['backup-storage', 'backup-keys'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization', parent: 'replaced_by' },
  }),
  backup_configs: table<BackupConfigTable>({
    writtenBy: ['backup-storage'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
  backup_repositories: table<BackupRepositoryTable>({
    writtenBy: ['backup-storage', 'backup-store', 'backup-keys'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
    unversioned: ['stored_bytes', 'is_in_store', 'lock_until', 'updated_at'],
  }),
  backup_repository_keys: table<BackupRepositoryKeyTable>({
    writtenBy: ['backup-keys'],
    tenancy: { by: 'none', because: 'reached only through their repository' },
    merge: { policy: 'follows-parent', parent: 'backup_repositories' },
    erasure: { goWith: 'reference', to: 'backup_repositories' },
  }),
}
