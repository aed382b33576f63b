import type { Updateable } from 'kysely'
import type { HeartbeatMetrics } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import { type Clock, iso, second } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Log } from '../../platform/log.ts'
import type { Tables } from '../../tables.ts'
import { metricRow, metricView, updateDevice } from '../devices/index.ts'

export interface HeartbeatReport {
  deviceId: string
  orgId: string
  siteId: string
  metrics: HeartbeatMetrics | undefined
  uptimeSeconds: number | null
  /** The columns it reported, whatever is stored. */
  reported: Updateable<Tables['devices']>
  /** Those of them that differ from what is stored. */
  changes: Updateable<Tables['devices']>
}

/** What the heartbeats of one device have reported since it was last saved. */
interface Pending extends Omit<HeartbeatReport, 'reported'> {
  at: number
  /** When metrics were reported; the last heartbeat may have had none. */
  measuredAt: number
}

/** Devices saved in one transaction, which takes about three milliseconds. */
const chunkSize = 200

const saveBeat = `UPDATE devices SET last_seen_at = ?, uptime_seconds = coalesce(?, uptime_seconds),
  cpu_percent = coalesce(?, cpu_percent), ram_percent = coalesce(?, ram_percent), metrics_at = coalesce(?, metrics_at)
  WHERE id = ? AND status NOT IN ('decommissioned', 'quarantined')`
const saveMetric = `INSERT INTO device_metrics (device_id, at, cpu, ram, ram_used_mb, disk, disk_used_gb,
  disk_activity_available, disk_read_bytes, disk_write_bytes, disk_read_bps, disk_write_bps, disk_read_ops, disk_write_ops,
  network_in, network_out, bandwidth_in_bps, bandwidth_out_bps, process_count)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM devices WHERE id = ?)
  ON CONFLICT DO NOTHING`

/**
 * Heartbeats arrive by the hundred a second. They are gathered here and saved once a second as one transaction, so a
 * power cut costs a second of telemetry at most.
 */
export class Telemetry {
  readonly #db: Database
  readonly #clock: Clock
  readonly #live: LiveEvents
  readonly #log: Log
  #pending = new Map<string, Pending>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(db: Database, clock: Clock, live: LiveEvents, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#live = live
    this.#log = log
  }

  add(beat: HeartbeatReport): void {
    const at = this.#clock.now()
    this.#pending.set(beat.deviceId, merged(this.#pending.get(beat.deviceId), beat, at))
    this.#timer ??= setTimeout(() => void this.flush(), second)
    if (!this.#live.isWatched(beat.deviceId)) return
    const { deviceId, orgId, siteId, metrics } = beat
    const point = metrics ? metricView(metricRow(at, metrics)) : null
    this.#live.publish({ type: 'device.metrics', deviceId, orgId, siteId, lastSeenAt: iso(at), point })
  }

  /** Saves what has gathered; resolves when it is on disk. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const beats = [...this.#pending.values()]
    this.#pending = new Map()
    this.#flushing = this.#flushing.then(() => this.#save(beats))
    return this.#flushing
  }

  async #save(beats: Pending[]): Promise<void> {
    for (let from = 0; from < beats.length; from += chunkSize) {
      if (from > 0) await new Promise(setImmediate)
      this.#saveTogether(beats.slice(from, from + chunkSize))
    }
  }

  /** When a batch fails, each heartbeat is saved by itself, so that only the bad one is lost. */
  #saveTogether(beats: Pending[]): void {
    try {
      this.#db.transaction(() => {
        for (const beat of beats) this.#saveOne(beat)
      })
    } catch (error) {
      const [first] = beats
      if (beats.length > 1) for (const one of beats) this.#saveTogether([one])
      else this.#log.error({ err: error, deviceId: first?.deviceId }, 'A heartbeat could not be saved')
    }
  }

  #saveOne({ deviceId, metrics, uptimeSeconds, changes, at, measuredAt }: Pending): void {
    const { cpuPercent = null, ramPercent = null } = metrics ?? {}
    const metricsAt = metrics ? iso(measuredAt) : null
    this.#db.statement(saveBeat).run(iso(at), uptimeSeconds, cpuPercent, ramPercent, metricsAt, deviceId)
    if (Object.keys(changes).length > 0) updateDevice(this.#db, deviceId, changes)
    if (metrics)
      this.#db.statement(saveMetric).run(deviceId, ...Object.values(metricRow(measuredAt, metrics)), deviceId)
  }
}

/** Field by field; fields that the later heartbeat lacks keep the value of the earlier one. */
function merged(earlier: Pending | undefined, { reported, ...beat }: HeartbeatReport, at: number): Pending {
  if (!earlier) return { ...beat, at, measuredAt: at }
  // A field that has changed back equals what is stored, but must overwrite the pending change.
  const again = Object.entries(reported).filter(([column]) => column in earlier.changes)
  return {
    ...beat,
    metrics: mergedMetrics(earlier.metrics, beat.metrics),
    uptimeSeconds: beat.uptimeSeconds ?? earlier.uptimeSeconds,
    changes: { ...earlier.changes, ...Object.fromEntries(again), ...beat.changes },
    at,
    measuredAt: beat.metrics ? at : earlier.measuredAt,
  }
}

function mergedMetrics(
  earlier: HeartbeatReport['metrics'],
  later: HeartbeatReport['metrics'],
): HeartbeatReport['metrics'] {
  return earlier && later ? { ...earlier, ...withoutUndefined(later) } : (later ?? earlier)
}

/** Fields that could not be parsed are undefined. */
export const withoutUndefined = <T extends object>(sent: T): T =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as T
