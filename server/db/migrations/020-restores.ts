/** Files brought back from snapshots. */
export const name = '020-restores'

export const sql = `
CREATE TABLE restore_jobs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- Its name and time stay when the snapshot is gone.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  snapshot_taken_at TEXT NOT NULL,
  -- The device that gets the files.
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  restore_type TEXT NOT NULL,
  -- JSON: files and folders as people see them.
  selected_paths TEXT NOT NULL,
  target_path TEXT,
  in_place INTEGER NOT NULL DEFAULT 0,
  existing_files TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  expected_files INTEGER,
  expected_bytes INTEGER,
  restored_files INTEGER,
  restored_size INTEGER,
  timed_out_by_server INTEGER NOT NULL DEFAULT 0,
  -- JSON: what the device said in the end.
  result TEXT,
  initiated_by TEXT REFERENCES users (id),
  dispatched_at TEXT,
  started_at TEXT,
  completed_at TEXT,
  last_progress_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX restore_jobs_org ON restore_jobs (org_id, created_at);
CREATE INDEX restore_jobs_device ON restore_jobs (device_id, created_at);
CREATE INDEX restore_jobs_snapshot ON restore_jobs (snapshot_id) WHERE snapshot_id IS NOT NULL;
CREATE INDEX restore_jobs_open ON restore_jobs (device_id) WHERE status IN ('pending', 'running');
CREATE INDEX restore_jobs_initiated_by ON restore_jobs (initiated_by) WHERE initiated_by IS NOT NULL;
`
