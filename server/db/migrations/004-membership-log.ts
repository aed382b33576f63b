export const name = '004-membership-log'

export const sql = `
CREATE TABLE device_group_log (
  id INTEGER PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (action IN ('added', 'removed', 'pinned', 'unpinned')),
  reason TEXT NOT NULL CHECK (reason IN ('manual', 'filter_match', 'filter_unmatch', 'pinned', 'unpinned')),
  changed_by TEXT REFERENCES users (id),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_group_log_group ON device_group_log (group_id);
CREATE INDEX device_group_log_device ON device_group_log (device_id);

-- as before, but told in the history of the group
DROP TRIGGER device_group_members_move;
CREATE TRIGGER device_group_members_move AFTER UPDATE OF org_id, site_id ON devices
WHEN (old.org_id, old.site_id) IS NOT (new.org_id, new.site_id)
  AND NOT EXISTS (SELECT 1 FROM organizations WHERE id IN (old.org_id, new.org_id) AND status = 'merging')
BEGIN
  INSERT INTO device_group_log (group_id, device_id, action, reason, created_at)
    SELECT group_id, device_id, 'removed', iif(type = 'dynamic', 'filter_unmatch', 'manual'), new.updated_at
    FROM device_group_members JOIN device_groups ON device_groups.id = group_id
    WHERE device_id = new.id AND (org_id <> new.org_id OR site_id <> new.site_id);
  DELETE FROM device_group_members WHERE device_id = new.id AND group_id IN (
    SELECT id FROM device_groups WHERE org_id <> new.org_id OR site_id <> new.site_id
  );
END;
`
