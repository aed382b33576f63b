export const name = '013-attention'

/** How full the fullest disk of a device is, and what finds the devices that need attention without looking at all. */
export const sql = `
ALTER TABLE devices ADD COLUMN disk_percent REAL;

UPDATE devices SET disk_percent = (
  SELECT max(json_extract(value, '$.usedPercent')) FROM device_reports, json_each(content)
  WHERE device_id = devices.id AND kind = 'disks'
    AND coalesce(json_extract(value, '$.fsType'), '') NOT IN ('squashfs', 'erofs', 'iso9660', 'udf', 'cdfs')
);

CREATE INDEX devices_disk_full ON devices (org_id) WHERE disk_percent >= 90;
CREATE INDEX devices_restart_pending ON devices (org_id) WHERE pending_reboot = 1;
CREATE INDEX device_commands_failed ON device_commands (completed_at, device_id) WHERE status = 'failed';
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE status = 'active';
CREATE INDEX enrollment_keys_expiring ON enrollment_keys (expires_at);
`
