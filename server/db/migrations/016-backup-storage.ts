/** Where backups go: storage, the repository of each device in it, and the keys that open them. */
export const name = '016-backup-storage'

export const sql = `
CREATE TABLE storage_encryption_keys (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  key_type TEXT NOT NULL DEFAULT 'aes_256',
  public_key_pem TEXT,
  -- Sealed with the keys of the appliance.
  encrypted_private_key TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  -- The appliance made it, so that it can open repositories with it.
  is_managed INTEGER NOT NULL DEFAULT 1,
  is_active INTEGER NOT NULL DEFAULT 1,
  rotated_at TEXT,
  expires_at TEXT,
  replaced_by TEXT REFERENCES storage_encryption_keys (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX storage_encryption_keys_org ON storage_encryption_keys (org_id);
CREATE INDEX storage_encryption_keys_replaced ON storage_encryption_keys (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE TABLE backup_configs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  -- JSON, sealed with the keys of the appliance.
  provider_config TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  is_default INTEGER NOT NULL DEFAULT 0,
  encryption INTEGER NOT NULL DEFAULT 0,
  provider_capabilities TEXT,
  provider_capabilities_checked_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_configs_org ON backup_configs (org_id);
CREATE UNIQUE INDEX backup_configs_default ON backup_configs (org_id) WHERE is_default = 1;

CREATE TABLE backup_repositories (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  config_id TEXT NOT NULL REFERENCES backup_configs (id),
  device_id TEXT NOT NULL REFERENCES devices (id),
  engine TEXT NOT NULL DEFAULT 'restic',
  sub_path TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  state TEXT NOT NULL DEFAULT 'new',
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  last_check_at TEXT,
  last_prune_at TEXT,
  lock_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (config_id, device_id)
) STRICT;
CREATE INDEX backup_repositories_org ON backup_repositories (org_id);
CREATE INDEX backup_repositories_device ON backup_repositories (device_id);
CREATE INDEX backup_repositories_key ON backup_repositories (key_id);

-- What a device shows the store of the appliance, for one command.
CREATE TABLE backup_store_credentials (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  -- Of the backup or restore for which it was issued.
  command_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_store_credentials_repository ON backup_store_credentials (repository_id);
CREATE INDEX backup_store_credentials_command ON backup_store_credentials (command_id);
CREATE INDEX backup_store_credentials_expires ON backup_store_credentials (expires_at);
`
