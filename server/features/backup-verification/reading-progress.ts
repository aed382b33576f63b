import type { BackupStatus } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Of all data of a repository: one is read each night. */
export const nightlyParts = 28

type Progress = Pick<BackupStatus, 'allDataReadAt' | 'dataReading'>

/** How far the reading of all data has come that the newest snapshot of a device lies in. */
export function readingProgressOf(db: Database, { id, org_id }: { id: string; org_id: string }): Progress {
  const newest = db.first(
    q
      .selectFrom('backup_snapshots')
      .select('repository_id')
      .where('device_id', '=', id)
      .where('org_id', '=', org_id)
      .where('expired_at', 'is', null)
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(1),
  )
  const repositoryId = newest?.repository_id ?? null
  if (repositoryId === null) return { allDataReadAt: null, dataReading: null }
  const read = db.first(
    q
      .selectFrom('backup_data_reads')
      .select(['part', 'read_at', 'completed_at'])
      .where('repository_id', '=', repositoryId)
      .where('org_id', '=', org_id),
  )
  const whole = db.first(
    q
      .selectFrom('backup_verifications')
      .select('completed_at')
      .where('repository_id', '=', repositoryId)
      .where('org_id', '=', org_id)
      .where('verification_type', '=', 'integrity')
      .where('status', '=', 'passed')
      .where('subset', 'is', null)
      .orderBy('created_at', 'desc')
      .limit(1),
  )
  const ends = [read?.completed_at, whole?.completed_at].flatMap((at) => at ?? [])
  return {
    allDataReadAt: ends.toSorted().at(-1) ?? null,
    dataReading: read ? { part: read.part, parts: nightlyParts, readAt: read.read_at } : null,
  }
}
