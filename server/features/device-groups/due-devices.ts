import type { Database } from '../../db/database.ts'

/** Devices that changed since their memberships in dynamic groups were last computed; triggers insert them. */
export interface DueDevice {
  device_id: string
  /** How often it changed again. */
  changes: number
}

export const dueAfter = (db: Database, deviceId: string, maxRows: number) =>
  db
    .statement<{ device_id: string; seq: number; org_id: string }>(
      `SELECT device_id, seq, org_id FROM device_group_due JOIN devices ON devices.id = device_id
       WHERE device_id > +? ORDER BY device_id LIMIT +?`,
    )
    .all(deviceId, maxRows)

export const findDue = (db: Database, deviceIds: readonly string[]) =>
  db
    .statement<DueDevice>(
      'SELECT device_id, changes FROM device_group_due WHERE device_id IN (SELECT value FROM json_each(?))',
    )
    .all(JSON.stringify(deviceIds))

/** A device that changed again since it was read stays due. */
export function forgetDue(db: Database, due: readonly DueDevice[]): void {
  if (due.length === 0) return
  const remove = db.statement('DELETE FROM device_group_due WHERE device_id = ? AND changes = ?')
  db.transaction(() => {
    for (const { device_id, changes } of due) remove.run(device_id, changes)
  })
}

/** Inside a transaction that changes what no trigger watches. */
export function makeDue(db: Database, deviceId: string): void {
  const upsert = 'ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1'
  db.statement(`INSERT INTO device_group_due (device_id) VALUES (?) ${upsert}`).run(deviceId)
}
