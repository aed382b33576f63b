/** When each device came and went, for a picture of its last day. */
export const name = '015-device-presence'

/** What a clock that was set back makes a thing of the future did not happen. */
const record = `
  DELETE FROM device_presence WHERE device_id = new.id AND at > new.updated_at;
  INSERT INTO device_presence (device_id, at, status) VALUES (new.id, new.updated_at, new.status)
    ON CONFLICT (device_id, at) DO UPDATE SET status = excluded.status;`

export const sql = `
-- The status of a device from a time on. Written by triggers, so that no change can do without.
CREATE TABLE device_presence (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (device_id, at)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_presence_insert AFTER INSERT ON devices BEGIN${record}
END;
CREATE TRIGGER device_presence_update AFTER UPDATE OF status ON devices WHEN old.status <> new.status
BEGIN${record}
END;

-- What devices were before is not known.
INSERT INTO device_presence (device_id, at, status)
  SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), status FROM devices;
`
