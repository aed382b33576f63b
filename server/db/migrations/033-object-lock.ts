/** Snapshots that storage itself keeps: S3 locks the objects of their repository. */
export const name = '033-object-lock'

export const sql = `
-- Storage is still to be asked to lock it.
ALTER TABLE backup_snapshots ADD COLUMN awaits_object_lock INTEGER NOT NULL DEFAULT 0;
CREATE INDEX backup_snapshots_object_lock ON backup_snapshots (repository_id) WHERE awaits_object_lock = 1;
UPDATE backup_snapshots SET awaits_object_lock = 1
WHERE is_immutable = 1 AND requested_immutability_enforcement = 'provider' AND immutability_enforcement = 'application'
  AND repository_id IS NOT NULL AND config_id IN (SELECT id FROM backup_configs WHERE provider = 's3');

-- The last try to lock what is in a repository.
CREATE TABLE backup_object_lock_tries (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- Bucket and folder: what was locked in another place says nothing of this one.
  place TEXT NOT NULL,
  tried_at TEXT NOT NULL,
  try_again_at TEXT NOT NULL
) STRICT;
CREATE INDEX backup_object_lock_tries_org ON backup_object_lock_tries (org_id);
CREATE INDEX backup_object_lock_tries_device ON backup_object_lock_tries (device_id);

-- What is locked in a repository, one row for each folder of it: a large one has tens of thousands of objects.
CREATE TABLE backup_locked_objects (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  folder TEXT NOT NULL,
  -- JSON: until when, by the name of the object.
  objects TEXT NOT NULL,
  UNIQUE (repository_id, folder)
) STRICT;
`
