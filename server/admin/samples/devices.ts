import { enroll } from '../../../shared/device/enroll.ts'
import { uploadDisks, uploadHardware, uploadNetwork, uploadSoftware } from '../../../shared/device/uploads.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { hour, minute } from '../../platform/clock.ts'
import { beat, type SampleAgent } from './agents.ts'
import type { Call } from './client.ts'
import { adaptersOf, disksOf, hardwareOf, introductionOf, metricsOf, softwareOf } from './machines.ts'
import { hasLeft, wasHeard, writePresence } from './presence.ts'

export interface SampleDevice extends SampleAgent {
  deviceId: string
}

/** Enrolls device `n`, lets it report, and writes the day before into its metrics and its presence. */
export async function enrollDevice(call: Call, db: Database, enrollmentKey: string, n: number): Promise<SampleDevice> {
  const { agentId, authToken, deviceId } = await call(enroll, { body: { enrollmentKey, ...introductionOf(n) } })
  const device = { n, agentId, authToken, deviceId }
  const params = { agentId }
  await call(uploadSoftware, { params, body: { software: softwareOf(n) } }, authToken)
  await call(uploadDisks, { params, body: { disks: disksOf(n) } }, authToken)
  await call(uploadNetwork, { params, body: { adapters: adaptersOf(n) } }, authToken)
  await call(uploadHardware, { params, body: hardwareOf(n) }, authToken)
  if (!hasLeft(n)) await beat(call, device)
  writePast(db, deviceId, n)
  return device
}

/** A day of metrics in steps of five minutes, while it was online. */
function writePast(db: Database, deviceId: string, n: number): void {
  const insert = db.statement(
    `INSERT INTO device_metrics (device_id, at, cpu, ram, ram_used_mb, disk, disk_used_gb, bandwidth_in_bps, bandwidth_out_bps)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const end = Date.now() - (hasLeft(n) ? 2 * hour : 2 * minute)
  db.transaction(() => {
    for (let at = end - 24 * hour; at < end; at += 5 * minute) {
      if (!wasHeard(n, at)) continue
      const { cpuPercent, ramPercent, ramUsedMb, diskPercent, diskUsedGb, ...rates } = metricsOf(n, at)
      const { bandwidthInBps, bandwidthOutBps } = rates
      insert.run(
        deviceId,
        at,
        cpuPercent,
        ramPercent,
        ramUsedMb,
        diskPercent,
        diskUsedGb,
        bandwidthInBps,
        bandwidthOutBps,
      )
    }
    if (hasLeft(n)) {
      const changes = { status: 'offline', last_seen_at: new Date(end).toISOString() } as const
      db.run(q.updateTable('devices').set(changes).where('id', '=', deviceId))
    }
    writePresence(db, deviceId, n)
  })
}
