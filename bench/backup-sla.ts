import { randomUUIDv7 } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { q } from '../server/db/query.ts'
import { Attention } from '../server/features/backup-attention/index.ts'
import { SlaAttention, SlaChecks } from '../server/features/backup-sla/index.ts'
import { LiveEvents } from '../server/platform/live.ts'
import { ago, cpuOf, devices, nightlyBackups } from './nightly-backups.ts'

/** What it costs to compare an SLA with the backups of one organization. */

export interface SlaReport {
  devices: number
  runs: SlaRun[]
  eventLoopMax: number
}

interface SlaRun {
  name: string
  /** Of one check. */
  cpuMs: number
  /** Checks in an hour, if it is one that is repeated. */
  perHour: number | null
}

const checksPerHour = 6
const measured = 10

export async function measureSla(folder: string): Promise<SlaReport> {
  const { db, orgId } = await nightlyBackups(folder)
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const config = {
    ...{ id: randomUUIDv7(), org_id: orgId, name: 'All', rpo_target_minutes: 1560, rto_target_minutes: 240 },
    ...{ created_at: ago(0), updated_at: ago(0) },
  }
  db.run(q.insertInto('backup_sla_configs').values(config as never))
  const attention = new SlaAttention({ db, attention: new Attention({ db, clock, mailer: noMail }) })
  const checks = new SlaChecks({ db, clock, live: new LiveEvents(() => []), attention })
  const never = new AbortController().signal
  const check = () => checks.run(never)
  await check()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const kept = await cpuOf(measured, check)
  db.run(q.updateTable('backup_sla_configs').set({ rpo_target_minutes: 60 }))
  const allBreak = await cpuOf(1, check)
  const allBroken = await cpuOf(measured, check)
  db.run(q.updateTable('backup_sla_configs').set({ rpo_target_minutes: 1560 }))
  const allKept = await cpuOf(1, check)
  delay.disable()
  db.close()
  return {
    devices,
    runs: [
      { name: 'Kept on all', cpuMs: kept, perHour: checksPerHour },
      { name: 'Kept on none', cpuMs: allBroken, perHour: checksPerHour },
      { name: 'The moment in which none keeps it any more', cpuMs: allBreak, perHour: null },
      { name: 'The moment in which all keep it again', cpuMs: allKept, perHour: null },
    ],
    eventLoopMax: delay.max / 1e6 - 1,
  }
}

/** Nobody is mailed of what is measured. */
const noMail = { send: () => {}, withdraw: () => {} } as never
