/** Checks that backups can be restored from, and what they compare with. */
export const name = '027-backup-verifications'

export const sql = `
CREATE TABLE backup_verifications (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The one of the snapshot; none for backups of the public agent.
  repository_id TEXT REFERENCES backup_repositories (id) ON DELETE SET NULL,
  backup_job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  -- Its time stays when the snapshot is gone.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  snapshot_taken_at TEXT NOT NULL,
  verification_type TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  -- Who asked: a person, a schedule, or a backup that has just ended.
  source TEXT NOT NULL,
  requested_by TEXT REFERENCES users (id),
  -- Who does it: the device or the appliance.
  ran_on TEXT NOT NULL,
  -- How much data is read, as restic takes it; null for all.
  subset TEXT,
  dispatched_at TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  last_progress_at TEXT,
  timed_out_by_server INTEGER NOT NULL DEFAULT 0,
  restore_time_seconds REAL,
  files_verified INTEGER NOT NULL DEFAULT 0,
  files_failed INTEGER NOT NULL DEFAULT 0,
  size_bytes INTEGER,
  -- JSON: what was found.
  details TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_verifications_org ON backup_verifications (org_id, created_at, id);
CREATE INDEX backup_verifications_device ON backup_verifications (device_id, created_at, id);
CREATE INDEX backup_verifications_repository ON backup_verifications (repository_id, created_at)
  WHERE repository_id IS NOT NULL;
CREATE INDEX backup_verifications_job ON backup_verifications (backup_job_id) WHERE backup_job_id IS NOT NULL;
CREATE INDEX backup_verifications_snapshot ON backup_verifications (snapshot_id) WHERE snapshot_id IS NOT NULL;
CREATE INDEX backup_verifications_requested_by ON backup_verifications (requested_by) WHERE requested_by IS NOT NULL;
-- One of a kind at a time for each device.
CREATE UNIQUE INDEX backup_verifications_open ON backup_verifications (device_id, verification_type)
  WHERE status IN ('pending', 'running');

-- What some files of a snapshot were when it was made, as the device that made it read them.
CREATE TABLE backup_snapshot_checksums (
  id TEXT PRIMARY KEY,
  snapshot_id TEXT NOT NULL UNIQUE REFERENCES backup_snapshots (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- JSON: path, size, time and SHA-256 of each.
  files TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_snapshot_checksums_org ON backup_snapshot_checksums (org_id);
CREATE INDEX backup_snapshot_checksums_device ON backup_snapshot_checksums (device_id);

-- How far the reading of all data of a repository has come, a part each night.
CREATE TABLE backup_data_reads (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The part that was read last, from 1 on.
  part INTEGER NOT NULL,
  read_at TEXT NOT NULL,
  -- When all parts had been read last, one after the other.
  completed_at TEXT
) STRICT;
CREATE INDEX backup_data_reads_org ON backup_data_reads (org_id);
CREATE INDEX backup_data_reads_device ON backup_data_reads (device_id);

DROP INDEX backup_attention_unmailed;
CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL AND kind IN ('missed_twice', 'unusual_change', 'verification_failed');
`
