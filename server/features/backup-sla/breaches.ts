import type { SlaEvent, SlaEventType } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import type { Flag } from '../../db/table.ts'
import { iso, minute } from '../../platform/clock.ts'
import { type OpenTypes, typesIn } from './open-events.ts'
import type { SlaConfigRow } from './views.ts'

/** Where a promise is not kept at one moment. */
export interface Breach {
  deviceId: string
  type: SlaEventType
  details: SlaEvent['details']
}

/** What is not as it was when it was looked at last. */
export interface Changes {
  begun: Breach[]
  over: { deviceId: string; type: SlaEventType }[]
}

interface ChangedRow {
  deviceId: string
  lastGoodAt: string | null
  estimatedRtoMinutes: number | null
  isOld: Flag
  isMissed: Flag
  isSlow: Flag
}

/**
 * Devices of these for which something is not as it was. The newest backup that can be restored from is too old, unless
 * the device had no time for one yet; once that is open, a newer backup ends it and another enrollment does not. Then one
 * was missed too, if there is a schedule that was there for as long, or one was missed before, for a schedule that is
 * changed does not make up for it. And a restore takes too long, as test restores showed. A device that keeps what is
 * promised costs a look at two indexes.
 */
const changed = `
  WITH found AS MATERIALIZED (
    SELECT wanted.value AS device_id,
      (SELECT max(completed_at) FROM backup_jobs INDEXED BY backup_jobs_newest_good
       WHERE device_id = wanted.value AND org_id = @org AND status IN ('completed', 'partial')) AS last_good,
      (SELECT estimated_rto_minutes FROM backup_readiness WHERE device_id = wanted.value AND org_id = @org) AS rto
    FROM json_each(@ids) AS wanted),
  aged AS MATERIALIZED (
    SELECT *, CASE WHEN last_good >= @from THEN 0 WHEN @wasOld = 1 AND last_good IS NOT NULL THEN 1 ELSE NOT EXISTS (
      SELECT 1 FROM devices WHERE id = found.device_id AND enrolled_at > @from) END AS is_old
    FROM found),
  looked_at AS MATERIALIZED (
    SELECT *, coalesce(rto > @rtoTarget, 0) AS is_slow, CASE WHEN is_old = 0 THEN 0 ELSE EXISTS (
      SELECT 1 FROM backup_watches WHERE device_id = aged.device_id AND org_id = @org AND is_scheduled = 1
        AND (@wasMissed = 1 OR coalesce(since, '') <= @from)) END AS is_missed
    FROM aged)
  SELECT device_id AS deviceId, last_good AS lastGoodAt, rto AS estimatedRtoMinutes,
    is_old AS isOld, is_missed AS isMissed, is_slow AS isSlow
  FROM looked_at WHERE is_old <> @wasOld OR is_missed <> @wasMissed OR is_slow <> @wasSlow`

/** Of these devices, which are targets and of which the same is known to be open. */
export function changesOf(
  db: Database,
  config: SlaConfigRow,
  { deviceIds, open }: { deviceIds: readonly string[]; open: OpenTypes },
  now: number,
): Changes {
  const was = new Set(typesIn(open))
  const flagOf = (type: SlaEventType): Flag => (was.has(type) ? 1 : 0)
  const windowStart = iso(now - config.rpo_target_minutes * minute)
  const rows = db.statement<ChangedRow>(changed).all({
    ...{ ids: JSON.stringify(deviceIds), org: config.org_id, from: windowStart, rtoTarget: config.rto_target_minutes },
    ...{ wasOld: flagOf('rpo_breach'), wasMissed: flagOf('missed_backup'), wasSlow: flagOf('rto_breach') },
  })
  const changes: Changes = { begun: [], over: [] }
  for (const row of rows) {
    const { deviceId } = row
    const isNow = { rpo_breach: row.isOld, missed_backup: row.isMissed, rto_breach: row.isSlow }
    for (const type of ['rpo_breach', 'missed_backup', 'rto_breach'] as const) {
      if (isNow[type] === flagOf(type)) continue
      if (isNow[type] === 0) changes.over.push({ deviceId, type })
      else changes.begun.push({ deviceId, type, details: detailsOf(type, row, config, now) })
    }
  }
  return changes
}

function detailsOf(
  type: SlaEventType,
  { lastGoodAt, estimatedRtoMinutes }: ChangedRow,
  { rpo_target_minutes: rpoTargetMinutes, rto_target_minutes: rtoTargetMinutes }: SlaConfigRow,
  now: number,
): SlaEvent['details'] {
  if (type === 'rto_breach') return { rtoTargetMinutes, ...(estimatedRtoMinutes !== null && { estimatedRtoMinutes }) }
  if (type === 'missed_backup') return { rpoTargetMinutes, windowStart: iso(now - rpoTargetMinutes * minute) }
  const actualMinutes = lastGoodAt === null ? null : Math.floor((now - Date.parse(lastGoodAt)) / minute)
  return { rpoTargetMinutes, actualMinutes, lastBackupAt: lastGoodAt }
}
