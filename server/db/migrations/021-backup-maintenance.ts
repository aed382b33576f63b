/** The end of snapshots, and the upkeep of the repositories they lie in. */
export const name = '021-backup-maintenance'

export const sql = `
-- When maintenance last tried, and why it failed if it did.
ALTER TABLE backup_repositories ADD COLUMN maintained_at TEXT;
ALTER TABLE backup_repositories ADD COLUMN maintenance_error TEXT;
-- Of a repository elsewhere: when restic last said how much it holds.
ALTER TABLE backup_repositories ADD COLUMN measured_at TEXT;

CREATE INDEX backup_snapshots_expiring ON backup_snapshots (org_id, expires_at)
  WHERE expired_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX backup_snapshots_expired_org ON backup_snapshots (org_id)
  WHERE expired_at IS NOT NULL AND repository_id IS NOT NULL;
CREATE INDEX backup_snapshots_expired ON backup_snapshots (repository_id, expired_at) WHERE expired_at IS NOT NULL;

-- Folders of the backup store whose repository is gone, until they are removed.
CREATE TABLE backup_store_leftovers (
  repository_id TEXT PRIMARY KEY,
  found_at TEXT NOT NULL
) STRICT;
`
