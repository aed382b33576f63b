import type { SlaEventType } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'

/** A millisecond or two of work. */
export const rowsPerRead = 1000

/** Which promises about a device are not kept now, as far as it is known: the sum of their bits. */
export type OpenTypes = number & { readonly openTypes: true }
export const noneOpen = 0 as OpenTypes

const bits: Record<SlaEventType, number> = { rpo_breach: 1, missed_backup: 2, rto_breach: 4 }
const types = Object.keys(bits) as SlaEventType[]
export const typesIn = (open: OpenTypes): SlaEventType[] => types.filter((type) => (open & bits[type]) !== 0)

/** Of each device that has any, by its id. */
export function* openEvents(db: Database, configId: string): Steps<Map<string, OpenTypes>> {
  const rows = db
    .statement<[string, OpenTypes]>(
      `SELECT device_id, sum(CASE event_type ${types.map((type) => `WHEN '${type}' THEN ${bits[type]}`).join(' ')} END)
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
