import { randomUUIDv7 } from 'node:crypto'
import type { VerificationStatus, VerificationType } from '../../../shared/api/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { day, hour, iso, minute } from '../../platform/clock.ts'

interface SampleCheck {
  type: VerificationType
  status: VerificationStatus
  hoursAgo: number
  subset: string | null
}

const checks: SampleCheck[] = [
  { type: 'test_restore', status: 'passed', hoursAgo: 34, subset: null },
  { type: 'integrity', status: 'passed', hoursAgo: 6, subset: '256M' },
]

/** Backups that were proven: the newest of each device. */
export function writeVerifications(db: Database, orgId: string): void {
  const snapshots = db.all(
    q
      .selectFrom('backup_snapshots')
      .select(['id', 'device_id', 'repository_id', 'job_id', 'file_count', 'size'])
      .select((select) => select.fn.max('timestamp').as('timestamp'))
      .where('org_id', '=', orgId)
      .groupBy('device_id'),
  )
  for (const { id, timestamp, device_id, repository_id, job_id, file_count, size } of snapshots) {
    if (repository_id !== null)
      db.run(
        q
          .insertInto('backup_data_reads')
          .values({
            ...{ id: randomUUIDv7(), repository_id, org_id: orgId, device_id, part: 12 },
            ...{ read_at: iso(Date.now() - 9 * hour), completed_at: iso(Date.now() - 12 * day) },
          })
          .onConflict((conflict) => conflict.column('repository_id').doNothing()),
      )
    for (const { type, status, hoursAgo, subset } of checks) {
      const startedMs = Date.now() - hoursAgo * hour
      const [startedAt, completedAt] = [iso(startedMs), iso(startedMs + 2 * minute)]
      const isRestore = type === 'test_restore'
      db.run(
        q.insertInto('backup_verifications').values({
          ...{ id: randomUUIDv7(), org_id: orgId, device_id, repository_id, backup_job_id: job_id },
          ...{ snapshot_id: id, snapshot_taken_at: timestamp, verification_type: type, status, subset },
          source: isRestore ? 'scheduled' : 'post_backup',
          ran_on: isRestore ? 'device' : 'appliance',
          dispatched_at: startedAt,
          started_at: startedAt,
          completed_at: completedAt,
          restore_time_seconds: isRestore ? 96 : null,
          files_verified: file_count,
          size_bytes: isRestore ? size : null,
          details: toJson(isRestore ? { checksumsCompared: Math.min(200, file_count), sampled: false } : {}),
          created_at: startedAt,
          updated_at: completedAt,
        }),
      )
    }
  }
}
