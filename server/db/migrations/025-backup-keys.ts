/** One key of the organization opens all its repositories; its change from one key to the next, and who has it on paper. */
export const name = '025-backup-keys'

export const sql = `
-- When somebody said that the recovery sheet with this key is locked away.
ALTER TABLE storage_encryption_keys ADD COLUMN locked_away_at TEXT;
-- Until now each repository had a key of its own: they change to the one of the organization.
UPDATE storage_encryption_keys SET is_active = 0 WHERE is_managed = 1;
CREATE INDEX storage_encryption_keys_inactive ON storage_encryption_keys (id) WHERE is_active = 0;

-- The last try to change the key, and why it failed if it did.
ALTER TABLE backup_repositories ADD COLUMN key_tried_at TEXT;
ALTER TABLE backup_repositories ADD COLUMN key_error TEXT;
-- The last part is the name of the folder in which the repository lies, from which its password follows.
UPDATE backup_repositories SET sub_path = org_id || '/' || id WHERE is_in_store = 1 OR state = 'new';

-- Keys beside its own that may open a repository: on their way in, or on their way out.
CREATE TABLE backup_repository_keys (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  created_at TEXT NOT NULL,
  UNIQUE (repository_id, key_id)
) STRICT;
CREATE INDEX backup_repository_keys_key ON backup_repository_keys (key_id);
`
