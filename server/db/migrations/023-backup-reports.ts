/** What needs somebody about backups, who was mailed of it, and how much was stored on which day. */
export const name = '023-backup-reports'

export const sql = `
CREATE TABLE backup_attention (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- JSON: what it is about, such as the backup that failed.
  details TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  resolved_at TEXT,
  -- When the people whom the policy names were mailed, if it is of a kind that does not wait for the morning.
  mailed_at TEXT,
  -- Of the mails, which name several devices.
  mailing_id TEXT
) STRICT;
CREATE UNIQUE INDEX backup_attention_open ON backup_attention (device_id, kind) WHERE resolved_at IS NULL;
CREATE INDEX backup_attention_kind ON backup_attention (org_id, kind, opened_at, device_id) WHERE resolved_at IS NULL;
CREATE INDEX backup_attention_device ON backup_attention (device_id, opened_at);
CREATE INDEX backup_attention_resolved ON backup_attention (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL AND kind = 'missed_twice';
CREATE INDEX backup_attention_mailing ON backup_attention (mailing_id) WHERE resolved_at IS NULL AND mailing_id IS NOT NULL;

-- Since when a device has the schedule that it has: what was due before was not missed.
CREATE TABLE backup_watches (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL UNIQUE REFERENCES devices (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- The schedule with its time zone and the policy that it is of.
  schedule TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT;
CREATE INDEX backup_watches_org ON backup_watches (org_id);

-- Up to when the people of an organization’s policies know what was wrong in the morning.
CREATE TABLE backup_digests (
  org_id TEXT PRIMARY KEY REFERENCES organizations (id),
  due_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Bytes that the repositories of a site’s devices held at the end of a day in UTC.
CREATE TABLE backup_usage_days (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  stored_bytes INTEGER NOT NULL,
  UNIQUE (site_id, day)
) STRICT;
CREATE INDEX backup_usage_days_org ON backup_usage_days (org_id, day);

CREATE INDEX backup_jobs_good ON backup_jobs (device_id, backup_mode, completed_at)
  WHERE status IN ('completed', 'partial');
CREATE INDEX backup_jobs_ended ON backup_jobs (device_id, backup_mode, completed_at)
  WHERE status IN ('completed', 'partial', 'failed');
CREATE INDEX backup_jobs_started ON backup_jobs (device_id, started_at, created_at, id);
CREATE INDEX backup_snapshots_usage ON backup_snapshots (org_id, timestamp, config_id, size, device_id)
  WHERE expired_at IS NULL;
`
