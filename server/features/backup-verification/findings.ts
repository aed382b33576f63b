import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { VerificationRow } from './store.ts'
import type { Findings } from './tables.ts'

/** What is kept of what was found, with the snapshots that it touches as they are listed here. */
export function findingsOf(
  db: Database,
  { repository_id, verification_type }: VerificationRow,
  said: VerificationOutcome,
): Findings {
  const { failedFiles, damage, warnings, reason, restorePath, otherSnapshots } = said
  const isRestore = verification_type === 'test_restore'
  return {
    ...(failedFiles?.length && {
      failedFiles: failedFiles.map(({ path, error }) => ({ path, error: withoutCredentials(error) })),
    }),
    ...(damage?.length && { damage }),
    ...(otherSnapshots?.length && { otherSnapshots: listedHere(db, repository_id, otherSnapshots) }),
    ...(isRestore && {
      checksumsCompared: said.checksumsCompared ?? 0,
      sampled: said.sampled ?? false,
      ...(said.sampledBytes !== undefined && { sampledBytes: said.sampledBytes }),
      ...(said.totalBytes !== undefined && { totalBytes: said.totalBytes }),
      ...(said.restoredAgain !== undefined && { restoredAgain: said.restoredAgain }),
      ...(said.cleanedUp !== undefined && { cleanedUp: said.cleanedUp }),
      // Only what is still there is of use to anybody.
      ...(said.cleanedUp === false && restorePath !== undefined && { restorePath }),
    }),
    ...(warnings?.length && { warnings }),
    ...(reason !== undefined && { reason: withoutCredentials(reason) }),
  }
}

function listedHere(
  db: Database,
  repositoryId: string | null,
  others: NonNullable<VerificationOutcome['otherSnapshots']>,
): NonNullable<Findings['otherSnapshots']> {
  const files = new Map(others.map((one) => [one.snapshotId, one.files]))
  const rows = db.all(
    q
      .selectFrom('backup_snapshots')
      .select(['id', 'snapshot_id', 'timestamp'])
      .where('repository_id', '=', repositoryId ?? '')
      .where('snapshot_id', 'in', [...files.keys()])
      .orderBy('timestamp', 'desc'),
  )
  return rows.map(({ id, snapshot_id, timestamp }) => ({
    snapshotId: id,
    takenAt: timestamp,
    files: files.get(snapshot_id) ?? 0,
  }))
}
