/** How well devices could be brought back, as checks of their backups show. */
export const name = '032-backup-readiness'

export const sql = `
CREATE TABLE backup_readiness (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL UNIQUE REFERENCES devices (id) ON DELETE CASCADE,
  -- 0 to 100.
  readiness_score INTEGER NOT NULL,
  estimated_rto_minutes INTEGER,
  -- The newest backup that can be restored from; what came later would be lost.
  newest_backup_at TEXT,
  last_checked_at TEXT NOT NULL,
  last_test_restore_at TEXT,
  -- JSON: what makes it less likely, and how serious that is.
  risk_factors TEXT NOT NULL,
  -- It was told that the score is low, and the score has not recovered since.
  is_low INTEGER NOT NULL DEFAULT 0,
  calculated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_readiness_org ON backup_readiness (org_id, readiness_score, id);
`
