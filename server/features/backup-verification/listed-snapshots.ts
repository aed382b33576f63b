import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Which snapshots a repository should have, as restic names them; the newest first. */
export function listedIn(db: Database, repositoryId: string): string[] {
  const all = q.selectFrom('backup_snapshots').select('snapshot_id').where('repository_id', '=', repositoryId)
  const listed = all.where('expired_at', 'is', null).orderBy('timestamp', 'desc')
  return db.all(listed).map(({ snapshot_id }) => snapshot_id)
}

/** What a check found, without snapshots that it missed and that have expired meanwhile. */
export function withoutExpired(said: VerificationOutcome, listed: readonly string[]): VerificationOutcome {
  const isListed = new Set(listed)
  const wholeId = 64
  const damage = (said.damage ?? []).filter(
    ({ kind, id }) => kind !== 'snapshot' || id?.length !== wholeId || isListed.has(id),
  )
  if (damage.length === (said.damage ?? []).length) return said
  const { reason, damage: _, otherSnapshots, ...rest } = said
  if (damage.length === 0 && said.status === 'partial') return { ...rest, status: 'passed' }
  return {
    ...{ ...rest, damage },
    ...(otherSnapshots && { otherSnapshots: otherSnapshots.filter(({ snapshotId }) => isListed.has(snapshotId)) }),
    ...(reason !== undefined && { reason }),
  }
}
