import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from '../server/db/database.ts'
import { q } from '../server/db/query.ts'
import { databaseName } from './processes.ts'
import { grow, newDatabase } from './seed.ts'

/** An organization of 10,000 devices, each with ninety nightly backups. */
export interface NightlyBackups {
  db: Database
  orgId: string
  deviceIds: string[]
}

export const devices = 10_000
/** A year of nightly backups is kept in a list of so many. */
export const nights = 90
const day = 24 * 60 * 60_000

export const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()
/** When the backup of a night ended, the last of them being the first. */
export const atNight = (n: number): string => ago((n - 0.5) * day)

export async function nightlyBackups(folder: string): Promise<NightlyBackups> {
  const db = await newDatabase(join(folder, databaseName))
  grow(db, { organizations: 1, devices })
  const { org_id: orgId } = db.one(q.selectFrom('devices').select('org_id').limit(1))
  const deviceIds = db.all(q.selectFrom('devices').select('id')).map(({ id }) => id)
  db.transaction(() => {
    const job = db.statement(
      `INSERT INTO backup_jobs (id, org_id, device_id, status, type, backup_mode, selection, completed_at, created_at, updated_at)
       VALUES (?, ?, ?, 'completed', 'scheduled', 'file', '{}', @at, @at, @at)`,
    )
    const watch = db.statement(
      `INSERT INTO backup_watches (id, device_id, org_id, schedule, since) VALUES (?, ?, ?, 'nightly', ?)`,
    )
    for (const id of deviceIds) {
      watch.run(randomUUIDv7(), id, orgId, ago(100 * day))
      for (let n = nights; n > 0; n--) job.run(randomUUIDv7(), orgId, id, { at: atNight(n) })
    }
  })
  return { db, orgId, deviceIds }
}

/** Milliseconds of CPU that something takes each time. */
export async function cpuOf(times: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / times
}
