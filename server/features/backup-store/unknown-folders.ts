import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Folders of the store with backups that this database has never known, as of the last look: how many, and the first of them. */
export function unknownFolders(db: Database, limit: number): { total: number; folders: string[] } {
  const forgotten = q.selectFrom('backup_forgotten_repositories').select('repository_id')
  const unknown = q.selectFrom('backup_store_leftovers').where('repository_id', 'not in', forgotten)
  const { total } = db.one(unknown.select((select) => select.fn.countAll<number>().as('total')))
  const first = unknown.select('repository_id').orderBy('repository_id').limit(limit)
  return { total, folders: db.all(first).map(({ repository_id }) => repository_id) }
}
