import type { SlaEventType } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'

/** A millisecond or two of work. */
export const rowsPerRead = 1000

/** Which promises about a device are not kept now, as far as it is known: their types in the order of the alphabet. */
export type OpenTypes = string & { readonly openTypes: true }
export const noneOpen = '' as OpenTypes
export const typesIn = (open: OpenTypes): SlaEventType[] =>
  open === noneOpen ? [] : (open.split(',') as SlaEventType[])

/** Of each device that has any, by its id. */
export function* openEvents(db: Database, configId: string): Steps<Map<string, OpenTypes>> {
  const rows = db
    .statement<[string, OpenTypes]>(
      `SELECT device_id, group_concat(event_type ORDER BY event_type)
       FROM backup_sla_events INDEXED BY backup_sla_events_open
       WHERE sla_config_id = ? AND resolved_at IS NULL AND device_id > ?
       GROUP BY device_id ORDER BY device_id LIMIT ${rowsPerRead}`,
    )
    .raw()
  const open = new Map<string, OpenTypes>()
  let last = ''
  for (;;) {
    const some = rows.all(configId, last)
    for (const [deviceId, types] of some) {
      open.set(deviceId, types)
      last = deviceId
    }
    yield
    if (some.length < rowsPerRead) return open
  }
}
