/** How much an organization may store on the appliance. */
export const name = '022-backup-quotas'

export const sql = `
-- No row: no limit.
CREATE TABLE backup_quotas (
  org_id TEXT PRIMARY KEY REFERENCES organizations (id),
  bytes INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Lies in the store of the appliance, so that its bytes count against the quota.
ALTER TABLE backup_repositories ADD COLUMN is_in_store INTEGER NOT NULL DEFAULT 0;
-- Until now only the store knew how much a repository holds.
UPDATE backup_repositories SET is_in_store = 1 WHERE stored_bytes > 0 AND measured_at IS NULL;
-- For the sum of an organization, which has one for each device.
CREATE INDEX backup_repositories_in_store ON backup_repositories (org_id, stored_bytes) WHERE is_in_store = 1;
`
