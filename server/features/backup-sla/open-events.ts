import type { SlaEventType } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'

export interface OpenEvent {
  id: string
  deviceId: string
  type: SlaEventType
}

/** A millisecond or two of work. */
export const rowsPerRead = 1000

/** Where a promise is not kept now, as far as it is known. */
export function* openEvents(db: Database, configId: string): Steps<OpenEvent[]> {
  const rows = db.statement<OpenEvent>(
    `SELECT id, device_id AS deviceId, event_type AS type FROM backup_sla_events INDEXED BY backup_sla_events_open
     WHERE sla_config_id = ? AND resolved_at IS NULL AND (device_id, event_type) > (?, ?)
     ORDER BY device_id, event_type LIMIT ${rowsPerRead}`,
  )
  const open: OpenEvent[] = []
  for (;;) {
    const last = open.at(-1)
    const some = rows.all(configId, last?.deviceId ?? '', last?.type ?? '')
    for (const row of some) open.push(row)
    yield
    if (some.length < rowsPerRead) return open
  }
}
