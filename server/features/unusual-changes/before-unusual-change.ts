/**
 * A condition in SQL: what was backed up then, of that device to that storage, was there before an unusual change that nobody
 * has called expected. The arguments are expressions in SQL.
 */
export const isBeforeUnusualChange = (row: { device: string; config: string; mode: string; takenAt: string }) =>
  `EXISTS (
    SELECT 1 FROM backup_unusual_changes AS unusual
    WHERE unusual.device_id = ${row.device} AND unusual.config_id = ${row.config} AND unusual.backup_mode = ${row.mode}
      AND unusual.taken_at > ${row.takenAt} AND unusual.state IN ('open', 'held'))`

/** The same of a row of `backup_snapshots`, by the name the query has for it. */
export const isSnapshotBeforeUnusualChange = (snapshot: string) =>
  isBeforeUnusualChange({
    device: `${snapshot}.device_id`,
    config: `${snapshot}.config_id`,
    mode: `${snapshot}.backup_mode`,
    takenAt: `${snapshot}.timestamp`,
  })
