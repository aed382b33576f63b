import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Which snapshots a repository should have, as restic names them; the newest first. */
export function listedIn(db: Database, repositoryId: string): string[] {
  const all = q.selectFrom('backup_snapshots').select('snapshot_id').where('repository_id', '=', repositoryId)
  const listed = all.where('expired_at', 'is', null).orderBy('timestamp', 'desc')
  return db.all(listed).map(({ snapshot_id }) => snapshot_id)
}
