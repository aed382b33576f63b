import { sql } from 'kysely'
import type { deviceMetrics, MetricPoint } from '../../../shared/api/devices.ts'
import type { HeartbeatMetrics } from '../../../shared/device/heartbeat.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Flag } from '../../db/table.ts'
import type { Steps } from '../../lib/pieces.ts'
import { type Clock, day, hour, iso, minute } from '../../platform/clock.ts'
import type { DeviceMetricTable } from './tables.ts'
import { metricView } from './views.ts'

const rangeMs = { '1h': hour, '6h': 6 * hour, '24h': day, '7d': 7 * day, '30d': 30 * day }
const intervalMs = { '1m': minute, '5m': 5 * minute, '1h': hour, '1d': day }
const retentionMs = 30 * day
/** The span of which the rows are averaged in one step. */
const spanPerStepMs = 4 * hour

type MetricRow = Omit<DeviceMetricTable, 'device_id'>

export const metricRow = (at: number, metrics: HeartbeatMetrics): MetricRow => ({
  at,
  cpu: metrics.cpuPercent,
  ram: metrics.ramPercent,
  ram_used_mb: metrics.ramUsedMb,
  disk: metrics.diskPercent,
  disk_used_gb: metrics.diskUsedGb,
  disk_activity_available: metrics.diskActivityAvailable === undefined ? null : metrics.diskActivityAvailable ? 1 : 0,
  disk_read_bytes: metrics.diskReadBytes ?? null,
  disk_write_bytes: metrics.diskWriteBytes ?? null,
  disk_read_bps: metrics.diskReadBps ?? null,
  disk_write_bps: metrics.diskWriteBps ?? null,
  disk_read_ops: metrics.diskReadOps ?? null,
  disk_write_ops: metrics.diskWriteOps ?? null,
  network_in: metrics.networkInBytes ?? null,
  network_out: metrics.networkOutBytes ?? null,
  bandwidth_in_bps: metrics.bandwidthInBps ?? null,
  bandwidth_out_bps: metrics.bandwidthOutBps ?? null,
  process_count: metrics.processCount ?? null,
})

/** Every heartbeat with metrics tells these. */
const always = ['cpu', 'ram', 'ram_used_mb', 'disk', 'disk_used_gb'] as const
const sometimes = [
  'disk_read_bytes',
  'disk_write_bytes',
  'disk_read_bps',
  'disk_write_bps',
  'disk_read_ops',
  'disk_write_ops',
  'network_in',
  'network_out',
  'bandwidth_in_bps',
  'bandwidth_out_bps',
  'process_count',
] as const
const measured = [...always, ...sometimes]

/** Metrics of the last thirty days, one row a heartbeat. */
export class Metrics {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Points over a range, averaged per interval; the interval defaults to what a chart can show. */
  *over(
    deviceId: string,
    wanted: QueryOf<typeof deviceMetrics>,
    timezone: string,
  ): Steps<ReplyOf<typeof deviceMetrics>> {
    const end = wanted.endDate ? Date.parse(wanted.endDate) : this.#clock.now()
    const start = wanted.startDate ? Date.parse(wanted.startDate) : end - rangeMs[wanted.range ?? '24h']
    const interval = wanted.interval ?? defaultInterval(end - start)
    const points = yield* this.#averagesInSteps(deviceId, start, end, intervalMs[interval])
    return { data: points, metrics: points, interval, startDate: iso(start), endDate: iso(end), timezone }
  }

  /** The last day in steps of five minutes. */
  recent(deviceId: string): MetricPoint[] {
    const end = this.#clock.now()
    return this.#averages(deviceId, end - day, end, 5 * minute).slice(-288)
  }

  /** Deletes what is older than thirty days, a little at a time so that nobody waits. */
  async prune(signal: AbortSignal): Promise<void> {
    const oldest = this.#clock.now() - retentionMs
    const devices = this.#db.all(q.selectFrom('devices').select('id'))
    for (const { id } of devices) {
      if (signal.aborted) return
      this.#db.run(q.deleteFrom('device_metrics').where('device_id', '=', id).where('at', '<', oldest))
      await new Promise(setImmediate)
    }
  }

  /** As `#averages`, for so many rows that others get their turn meanwhile. */
  *#averagesInSteps(deviceId: string, start: number, end: number, stepMs: number): Steps<MetricPoint[]> {
    const stored = this.#db
      .statement<{ first: number | null; last: number | null }>(
        'SELECT min(at) AS first, max(at) AS last FROM device_metrics WHERE device_id = ?',
      )
      .get(deviceId)
    const [first, last] = [Math.max(start, stored?.first ?? end), Math.min(end, stored?.last ?? start)]
    const spanMs = Math.max(1, Math.floor(spanPerStepMs / stepMs)) * stepMs
    const points: MetricPoint[] = []
    for (let from = first; from <= last; ) {
      // A bucket is never cut in two.
      const next = Math.floor(from / stepMs) * stepMs + spanMs
      for (const point of this.#averages(deviceId, from, Math.min(last, next - 1), stepMs)) points.push(point)
      from = next
      yield
    }
    return points
  }

  #averages(deviceId: string, start: number, end: number, stepMs: number): MetricPoint[] {
    // Literals, because a bound number is a REAL, and REAL division groups nothing.
    const bucket = sql<number>`at / ${sql.lit(stepMs)} * ${sql.lit(stepMs)}`
    const rows = this.#db.all(
      q
        .selectFrom('device_metrics')
        .select(bucket.as('at'))
        .select((select) => always.map((column) => select.fn.avg<number>(column).as(column)))
        .select((select) => sometimes.map((column) => select.fn.avg<number | null>(column).as(column)))
        // 1 as soon as one heartbeat of the interval had disk activity.
        .select(sql<Flag | null>`max(disk_activity_available)`.as('disk_activity_available'))
        .where('device_id', '=', deviceId)
        .where('at', '>=', start)
        .where('at', '<=', end)
        .groupBy(bucket)
        .orderBy('at'),
    )
    return rows.map((row) => metricView(roundRow(row)))
  }
}

/** Averages carry no more digits than anybody reads. */
function roundRow(row: MetricRow): MetricRow {
  for (const column of measured) {
    const value = row[column]
    if (value !== null) row[column] = Math.round(value * 100) / 100
  }
  return row
}

function defaultInterval(spanMs: number): keyof typeof intervalMs {
  if (spanMs <= 6 * hour) return '1m'
  if (spanMs <= 2 * day) return '5m'
  return spanMs <= 14 * day ? '1h' : '1d'
}
