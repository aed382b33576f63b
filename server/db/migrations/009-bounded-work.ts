export const name = '009-bounded-work'

/** A device may change while it is looked at: how often it did tells whether what was found is still true. */
const markDue = 'ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1'

export const sql = `
ALTER TABLE device_group_due ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
-- the triggers below look here with every change of a device; a row of the table is read past its rules, which may be long
CREATE INDEX device_groups_dynamic ON device_groups (org_id, filter_fields_used) WHERE type = 'dynamic';

DROP TRIGGER device_group_due_insert;
CREATE TRIGGER device_group_due_insert AFTER INSERT ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.id) ${markDue}; END;
DROP TRIGGER device_group_due_update;
CREATE TRIGGER device_group_due_update AFTER UPDATE OF org_id, site_id, hostname, display_name, os_type, os_version,
  os_build, architecture, agent_version, device_role, status, enrolled_at, last_user, pending_reboot, is_headless, wan_ip,
  lan_ip, tags, custom_fields, watchdog_status ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.id) ${markDue}; END;
DROP TRIGGER device_group_due_join;
CREATE TRIGGER device_group_due_join AFTER INSERT ON device_group_members BEGIN
  INSERT INTO device_group_due (device_id) SELECT id FROM devices WHERE id = new.device_id AND EXISTS (
    SELECT 1 FROM device_groups
    WHERE device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
  ) ${markDue};
END;
DROP TRIGGER device_group_due_leave;
CREATE TRIGGER device_group_due_leave AFTER DELETE ON device_group_members BEGIN
  INSERT INTO device_group_due (device_id) SELECT id FROM devices WHERE id = old.device_id AND EXISTS (
    SELECT 1 FROM device_groups
    WHERE device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
  ) ${markDue};
END;
DROP TRIGGER device_group_due_report_insert;
CREATE TRIGGER device_group_due_report_insert AFTER INSERT ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.device_id) ${markDue}; END;
DROP TRIGGER device_group_due_report_update;
CREATE TRIGGER device_group_due_report_update AFTER UPDATE ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.device_id) ${markDue}; END;
`
