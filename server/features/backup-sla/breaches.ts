import type { SlaEvent, SlaEventType } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import type { Flag } from '../../db/table.ts'
import { iso, minute } from '../../platform/clock.ts'
import type { SlaConfigRow } from './views.ts'

/** Where a promise is not kept at one moment. */
export interface Breach {
  deviceId: string
  type: SlaEventType
  details: SlaEvent['details']
}

interface LateRow {
  deviceId: string
  lastGoodAt: string | null
  enrolledAt: string | null
  isScheduled: Flag | null
  scheduledSince: string | null
  /** A backup was missed when this was last looked at. */
  isMissed: Flag
}

/** Devices of these whose newest backup that can be restored from is too old. Those whose is not cost one look at an index. */
const late = `
  WITH newest AS MATERIALIZED (
    SELECT wanted.value AS device_id,
      (SELECT max(completed_at) FROM backup_jobs INDEXED BY backup_jobs_newest_good
       WHERE device_id = wanted.value AND org_id = @org AND status IN ('completed', 'partial')) AS last_good
    FROM json_each(@ids) AS wanted)
  SELECT newest.device_id AS deviceId, last_good AS lastGoodAt, enrolled_at AS enrolledAt,
    is_scheduled AS isScheduled, since AS scheduledSince,
    EXISTS (SELECT 1 FROM backup_sla_events INDEXED BY backup_sla_events_open
      WHERE sla_config_id = @config AND device_id = newest.device_id AND event_type = 'missed_backup'
        AND resolved_at IS NULL) AS isMissed
  FROM newest JOIN devices ON devices.id = newest.device_id
    LEFT JOIN backup_watches ON backup_watches.device_id = newest.device_id AND backup_watches.org_id = @org
  WHERE last_good IS NULL OR last_good < @from`

/** Of these devices, all of them targets. */
export function breachesOf(db: Database, config: SlaConfigRow, deviceIds: readonly string[], now: number): Breach[] {
  const { rpo_target_minutes: rpoTargetMinutes } = config
  const windowStart = iso(now - rpoTargetMinutes * minute)
  const rows = db
    .statement<LateRow>(late)
    .all({ ids: JSON.stringify(deviceIds), org: config.org_id, config: config.id, from: windowStart })
  const tooSlow = slowOf(db, config, deviceIds)
  const tooOld = rows.flatMap((row): Breach[] => {
    const { deviceId, lastGoodAt } = row
    // It had no time for a backup yet.
    if (row.enrolledAt !== null && row.enrolledAt > windowStart) return []
    const actualMinutes = lastGoodAt === null ? null : Math.floor((now - Date.parse(lastGoodAt)) / minute)
    const old: Breach = {
      ...{ deviceId, type: 'rpo_breach' },
      details: { rpoTargetMinutes, actualMinutes, lastBackupAt: lastGoodAt },
    }
    if (!wasMissed(row, windowStart)) return [old]
    return [old, { deviceId, type: 'missed_backup', details: { rpoTargetMinutes, windowStart } }]
  })
  return [...tooOld, ...tooSlow]
}

/** Devices of these whose restore takes too long, as test restores showed. */
const slow = `
  SELECT device_id AS deviceId, estimated_rto_minutes AS estimatedRtoMinutes
  FROM json_each(@ids) AS wanted JOIN backup_readiness ON backup_readiness.device_id = wanted.value
  WHERE org_id = @org AND estimated_rto_minutes > @target`

function slowOf(db: Database, config: SlaConfigRow, deviceIds: readonly string[]): Breach[] {
  const { rto_target_minutes: rtoTargetMinutes } = config
  return db
    .statement<{ deviceId: string; estimatedRtoMinutes: number }>(slow)
    .all({ ids: JSON.stringify(deviceIds), org: config.org_id, target: rtoTargetMinutes })
    .map(({ deviceId, estimatedRtoMinutes }) => ({
      ...{ deviceId, type: 'rto_breach' },
      details: { rtoTargetMinutes, estimatedRtoMinutes },
    }))
}

/** A schedule that is younger has missed nothing; that it is changed does not make up for what was missed. */
const wasMissed = ({ isScheduled, scheduledSince, isMissed }: LateRow, windowStart: string): boolean =>
  isScheduled === 1 && (isMissed === 1 || (scheduledSince ?? '') <= windowStart)
