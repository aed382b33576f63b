/** What is promised about the backups of devices, and where it was not kept. */
export const name = '031-backup-sla'

export const sql = `
CREATE TABLE backup_sla_configs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  rpo_target_minutes INTEGER NOT NULL CHECK (rpo_target_minutes >= 1),
  rto_target_minutes INTEGER NOT NULL CHECK (rto_target_minutes >= 1),
  -- JSON arrays of ids. Both empty: for every protected device of the organization.
  target_devices TEXT NOT NULL DEFAULT '[]',
  target_groups TEXT NOT NULL DEFAULT '[]',
  alert_on_breach INTEGER NOT NULL DEFAULT 1,
  is_active INTEGER NOT NULL DEFAULT 1,
  -- The last check, and how many devices it looked at.
  checked_at TEXT,
  device_count INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_sla_configs_org ON backup_sla_configs (org_id, created_at);

CREATE TABLE backup_sla_events (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  sla_config_id TEXT NOT NULL REFERENCES backup_sla_configs (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  -- JSON: the target and what was found instead.
  details TEXT NOT NULL,
  detected_at TEXT NOT NULL,
  resolved_at TEXT,
  -- Somebody is still to be mailed about it.
  is_mail_due INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX backup_sla_events_open ON backup_sla_events (sla_config_id, device_id, event_type)
  WHERE resolved_at IS NULL;
CREATE INDEX backup_sla_events_config ON backup_sla_events (sla_config_id, detected_at);
CREATE INDEX backup_sla_events_device ON backup_sla_events (device_id, detected_at);
CREATE INDEX backup_sla_events_list ON backup_sla_events (org_id, detected_at, id);
CREATE INDEX backup_sla_events_over ON backup_sla_events (org_id, resolved_at, id);
CREATE INDEX backup_sla_events_unmailed ON backup_sla_events (sla_config_id) WHERE is_mail_due = 1;

-- A device is watched as soon as it is protected, with a schedule or without.
ALTER TABLE backup_watches ADD COLUMN is_scheduled INTEGER NOT NULL DEFAULT 1;

CREATE INDEX backup_jobs_newest_good ON backup_jobs (device_id, org_id, completed_at)
  WHERE status IN ('completed', 'partial');
`
