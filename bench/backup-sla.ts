import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { q } from '../server/db/query.ts'
import { Attention } from '../server/features/backup-attention/index.ts'
import { SlaAttention, SlaChecks } from '../server/features/backup-sla/index.ts'
import { LiveEvents } from '../server/platform/live.ts'
import { databaseName } from './processes.ts'
import { grow, newDatabase } from './seed.ts'

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

const devices = 10_000
/** A year of nightly backups is kept in a list of so many. */
const jobsEach = 90
const minute = 60_000
const checksPerHour = 12
const measured = 10

export async function measureSla(folder: string): Promise<SlaReport> {
  const db = await newDatabase(join(folder, databaseName))
  grow(db, { organizations: 1, devices })
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const { org_id } = db.one(q.selectFrom('devices').select('org_id').limit(1))
  const deviceIds = db.all(q.selectFrom('devices').select('id')).map(({ id }) => id)
  const at = (ago: number) => new Date(Date.now() - ago).toISOString()
  db.transaction(() => {
    const job = db.statement(
      `INSERT INTO backup_jobs (id, org_id, device_id, status, type, backup_mode, selection, completed_at, created_at, updated_at)
       VALUES (?, ?, ?, 'completed', 'scheduled', 'file', '{}', @at, @at, @at)`,
    )
    const watch = db.statement(
      `INSERT INTO backup_watches (id, device_id, org_id, schedule, since) VALUES (?, ?, ?, 'nightly', ?)`,
    )
    for (const id of deviceIds) {
      watch.run(randomUUIDv7(), id, org_id, at(100 * 24 * 60 * minute))
      for (let n = jobsEach; n > 0; n--) job.run(randomUUIDv7(), org_id, id, { at: at((n - 0.5) * 24 * 60 * minute) })
    }
  })
  const config = {
    ...{ id: randomUUIDv7(), org_id, name: 'All', rpo_target_minutes: 1560, rto_target_minutes: 240 },
    ...{ created_at: at(0), updated_at: at(0) },
  }
  db.run(q.insertInto('backup_sla_configs').values(config as never))
  const attention = new SlaAttention({ db, attention: new Attention({ db, clock, mailer: noMail }) })
  const checks = new SlaChecks({ db, clock, live: new LiveEvents(() => []), attention })
  const never = new AbortController().signal
  const cpuOf = async (times: number, work: () => Promise<void>): Promise<number> => {
    const before = process.cpuUsage()
    for (let time = 0; time < times; time++) await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / times
  }
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
