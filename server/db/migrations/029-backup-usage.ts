/** How backups grow, and how full the disk of the appliance is, from day to day. */
export const name = '029-backup-usage'

export const sql = `
CREATE TABLE backup_device_days (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  -- What its repositories take.
  stored_bytes INTEGER NOT NULL,
  -- What is in the newest snapshot of each kind.
  newest_bytes INTEGER NOT NULL,
  UNIQUE (device_id, org_id, day)
) STRICT;
CREATE INDEX backup_device_days_org ON backup_device_days (org_id, day);
CREATE INDEX backup_device_days_day ON backup_device_days (day);

-- Of the disk with the backup store.
CREATE TABLE backup_disk_days (
  day TEXT PRIMARY KEY,
  total_bytes INTEGER NOT NULL,
  -- For somebody without special rights.
  free_bytes INTEGER NOT NULL,
  -- Of them, what backups leave to the appliance.
  reserved_bytes INTEGER NOT NULL
) STRICT;

-- Of stored_bytes, what lies on the appliance; null for days before this was counted.
ALTER TABLE backup_usage_days ADD COLUMN in_store_bytes INTEGER;

-- As restic measured it last: what is in use, the same before compression, and the files in all snapshots at that time.
ALTER TABLE backup_repositories ADD COLUMN data_bytes INTEGER;
ALTER TABLE backup_repositories ADD COLUMN uncompressed_bytes INTEGER;
ALTER TABLE backup_repositories ADD COLUMN files_bytes INTEGER;
`
