/** Changes from one backup to another that look like an attack, and what somebody said of them. */
export const name = '026-unusual-changes'

export const sql = `
CREATE TABLE backup_unusual_changes (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  config_id TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  -- The snapshot with the change, and the one that it was compared with, as long as they are there.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  older_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  -- When the one with the change was made. What is older does not expire as long as this is open or held.
  taken_at TEXT NOT NULL,
  sign TEXT NOT NULL,
  -- JSON: how many files were changed, replaced and looked into.
  numbers TEXT NOT NULL,
  state TEXT NOT NULL,
  found_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT,
  reason TEXT
) STRICT;
CREATE UNIQUE INDEX backup_unusual_changes_open ON backup_unusual_changes (device_id, config_id, backup_mode)
  WHERE state = 'open';
CREATE INDEX backup_unusual_changes_place ON backup_unusual_changes (device_id, config_id, backup_mode, taken_at);
CREATE INDEX backup_unusual_changes_list ON backup_unusual_changes (org_id, found_at, id);
CREATE INDEX backup_unusual_changes_snapshot ON backup_unusual_changes (snapshot_id);
CREATE INDEX backup_unusual_changes_older ON backup_unusual_changes (older_id);

-- How much a repository of the backup store held when its newest snapshot was compared.
CREATE TABLE backup_change_checks (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  stored_bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX backup_change_checks_org ON backup_change_checks (org_id);
CREATE INDEX backup_change_checks_device ON backup_change_checks (device_id);

DROP INDEX backup_attention_unmailed;
CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL AND kind IN ('missed_twice', 'unusual_change');
`
