/** Second copies of backups. */
export const name = '028-backup-vaults'

export const sql = `
CREATE TABLE backup_vaults (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- Null: all devices of the organization.
  device_id TEXT REFERENCES devices (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Whose folder the path is: the device, the appliance; or storage, which needs none.
  place TEXT NOT NULL,
  vault_path TEXT NOT NULL,
  vault_type TEXT NOT NULL,
  config_id TEXT REFERENCES backup_configs (id),
  is_active INTEGER NOT NULL DEFAULT 1,
  retention_count INTEGER NOT NULL,
  -- JSON; null: after each backup.
  schedule TEXT,
  remind_after_days INTEGER,
  -- Somebody wants a sync, of one snapshot if it is named.
  requested_at TEXT,
  requested_snapshot_id TEXT,
  -- When one last began, by whatever cause, and when it was last heard of.
  begun_at TEXT,
  heard_at TEXT,
  last_sync_at TEXT,
  last_sync_status TEXT,
  last_sync_snapshot_id TEXT,
  last_sync_error TEXT,
  waiting_for TEXT,
  waiting_since TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_vaults_org ON backup_vaults (org_id, created_at, id);
CREATE INDEX backup_vaults_device ON backup_vaults (device_id);
CREATE INDEX backup_vaults_config ON backup_vaults (config_id) WHERE config_id IS NOT NULL;

-- The copy of one repository in a vault.
CREATE TABLE backup_vault_repositories (
  id TEXT PRIMARY KEY,
  vault_id TEXT NOT NULL REFERENCES backup_vaults (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The one that it is a copy of.
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  -- In which it lies; its password follows from the name.
  folder TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  -- Keys beside its own that may open it: on the way in, and on the way out.
  next_key_id TEXT REFERENCES storage_encryption_keys (id),
  former_key_id TEXT REFERENCES storage_encryption_keys (id),
  state TEXT NOT NULL DEFAULT 'new',
  -- Snapshots that should be in it and are not; since when they are late.
  missing INTEGER NOT NULL DEFAULT 0,
  late_since TEXT,
  -- What restic called it when it was seen last. One that has another name is not this one.
  restic_id TEXT,
  last_sync_at TEXT,
  error TEXT,
  stored_bytes INTEGER,
  checked_at TEXT,
  damage TEXT,
  -- JSON: the last repair of the repository from it.
  repair TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (vault_id, repository_id)
) STRICT;
CREATE INDEX backup_vault_repositories_org ON backup_vault_repositories (org_id);
CREATE INDEX backup_vault_repositories_device ON backup_vault_repositories (device_id);
CREATE INDEX backup_vault_repositories_repository ON backup_vault_repositories (repository_id);
CREATE INDEX backup_vault_repositories_due ON backup_vault_repositories (vault_id) WHERE missing > 0;
CREATE INDEX backup_vault_repositories_key ON backup_vault_repositories (key_id);
CREATE INDEX backup_vault_repositories_next_key ON backup_vault_repositories (next_key_id)
  WHERE next_key_id IS NOT NULL;
CREATE INDEX backup_vault_repositories_former_key ON backup_vault_repositories (former_key_id)
  WHERE former_key_id IS NOT NULL;

-- What is in it, as it was found last.
CREATE TABLE backup_vault_snapshots (
  id TEXT PRIMARY KEY,
  vault_repository_id TEXT NOT NULL REFERENCES backup_vault_repositories (id) ON DELETE CASCADE,
  -- As restic names it in the repository that it was copied from, and in the vault.
  snapshot_id TEXT NOT NULL,
  copy_id TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  taken_at TEXT NOT NULL,
  synced_at TEXT NOT NULL,
  size_bytes INTEGER,
  file_count INTEGER,
  manifest_verified INTEGER NOT NULL DEFAULT 0,
  UNIQUE (vault_repository_id, snapshot_id)
) STRICT;
CREATE INDEX backup_vault_snapshots_snapshot ON backup_vault_snapshots (snapshot_id);

-- The second copy that files come from, if it is not the repository itself.
ALTER TABLE restore_jobs ADD COLUMN vault_id TEXT REFERENCES backup_vaults (id) ON DELETE SET NULL;
CREATE INDEX restore_jobs_vault ON restore_jobs (vault_id) WHERE vault_id IS NOT NULL;
-- A folder with a second copy, which is read in place of the repository.
ALTER TABLE backup_store_credentials ADD COLUMN folder TEXT;

DROP INDEX backup_attention_unmailed;
CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL AND kind IN ('missed_twice', 'unusual_change', 'verification_failed', 'copy_late');
`
