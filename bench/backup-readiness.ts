import { randomUUIDv7 } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Calculations } from '../server/features/backup-readiness/index.ts'
import { LiveEvents } from '../server/platform/live.ts'
import { atNight, cpuOf, devices, nightlyBackups, nights } from './nightly-backups.ts'

/** What it costs to calculate each night how well the devices of one organization could be brought back. */
export interface ReadinessReport {
  devices: number
  runs: { name: string; cpuMs: number }[]
  eventLoopMax: number
}

export async function measureReadiness(folder: string): Promise<ReadinessReport> {
  const { db, orgId, deviceIds } = await nightlyBackups(folder)
  db.transaction(() => {
    const check = db.statement(
      `INSERT INTO backup_verifications (id, org_id, device_id, snapshot_taken_at, verification_type, status, source, ran_on,
         started_at, completed_at, restore_time_seconds, created_at, updated_at)
       VALUES (?, ?, ?, @at, @type, 'passed', 'post_backup', 'appliance', @at, @at, @seconds, @at, @at)`,
    )
    for (const id of deviceIds)
      for (let n = nights; n > 0; n--) {
        const kinds = n % 7 === 1 ? (['integrity', 'test_restore'] as const) : (['integrity'] as const)
        for (const type of kinds)
          check.run(randomUUIDv7(), orgId, id, { at: atNight(n), type, seconds: type === 'test_restore' ? 400 : null })
      }
  })
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const calculations = new Calculations({ db, clock, live: new LiveEvents(() => []) })
  const never = new AbortController().signal
  const calculate = () => calculations.all(never)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const first = await cpuOf(1, calculate)
  const again = await cpuOf(5, calculate)
  delay.disable()
  db.close()
  return {
    devices,
    runs: [
      { name: 'The first night', cpuMs: first },
      { name: 'Each night after it', cpuMs: again },
    ],
    eventLoopMax: delay.max / 1e6 - 1,
  }
}
