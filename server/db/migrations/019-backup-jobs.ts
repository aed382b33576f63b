/** Backups that ran or will run, and the snapshots that came of them. */
export const name = '019-backup-jobs'

export const sql = `
CREATE TABLE backup_jobs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  config_id TEXT REFERENCES backup_configs (id),
  -- Of the policy that asked for it, which may be gone.
  policy_id TEXT,
  feature_link_id TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  type TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  -- JSON: what is to be backed up, as it was decided when the job was made.
  selection TEXT NOT NULL,
  limit_upload_kib INTEGER,
  -- Local minute of the schedule, as 2026-11-24T02:30.
  schedule_occurrence_key TEXT,
  created_by TEXT REFERENCES users (id),
  dispatched_at TEXT,
  started_at TEXT,
  completed_at TEXT,
  last_progress_at TEXT,
  total_size INTEGER,
  transferred_size INTEGER,
  file_count INTEGER,
  total_files INTEGER,
  referenced_size INTEGER,
  referenced_files INTEGER,
  error_count INTEGER,
  error_log TEXT,
  -- JSON: files that could not be read.
  failed_files TEXT,
  -- Of restic, 64 hex.
  snapshot_id TEXT,
  vss_metadata TEXT,
  parent_job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_jobs_org ON backup_jobs (org_id, created_at);
CREATE INDEX backup_jobs_device ON backup_jobs (device_id, created_at);
CREATE INDEX backup_jobs_config ON backup_jobs (config_id);
CREATE INDEX backup_jobs_open ON backup_jobs (device_id) WHERE status IN ('pending', 'running');
CREATE INDEX backup_jobs_parent ON backup_jobs (parent_job_id) WHERE parent_job_id IS NOT NULL;
CREATE INDEX backup_jobs_created_by ON backup_jobs (created_by) WHERE created_by IS NOT NULL;
CREATE UNIQUE INDEX backup_jobs_occurrence ON backup_jobs (device_id, config_id, backup_mode, schedule_occurrence_key)
  WHERE schedule_occurrence_key IS NOT NULL;

CREATE TABLE backup_snapshots (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id),
  config_id TEXT NOT NULL REFERENCES backup_configs (id),
  -- None for backups of the public agent, which has no repository.
  repository_id TEXT REFERENCES backup_repositories (id),
  job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  -- As the storage names it.
  snapshot_id TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  size INTEGER NOT NULL,
  file_count INTEGER NOT NULL,
  label TEXT NOT NULL,
  location TEXT,
  backup_type TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  gfs_tags TEXT NOT NULL DEFAULT '[]',
  expires_at TEXT,
  legal_hold INTEGER NOT NULL DEFAULT 0,
  legal_hold_reason TEXT,
  legal_hold_source TEXT,
  is_immutable INTEGER NOT NULL DEFAULT 0,
  immutable_until TEXT,
  immutability_enforcement TEXT,
  requested_immutability_enforcement TEXT,
  immutability_fallback_reason TEXT,
  encryption_key_id TEXT REFERENCES storage_encryption_keys (id),
  -- Retention has given it up; its data goes when the repository is maintained.
  expired_at TEXT,
  objects_deleted_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (config_id, device_id, snapshot_id)
) STRICT;
CREATE INDEX backup_snapshots_org ON backup_snapshots (org_id, timestamp);
CREATE INDEX backup_snapshots_device ON backup_snapshots (device_id, timestamp);
CREATE INDEX backup_snapshots_repository ON backup_snapshots (repository_id) WHERE repository_id IS NOT NULL;
CREATE INDEX backup_snapshots_job ON backup_snapshots (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX backup_snapshots_key ON backup_snapshots (encryption_key_id) WHERE encryption_key_id IS NOT NULL;
`
