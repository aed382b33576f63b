import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { q } from '../../server/db/query.ts'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { type ListedEntry, listing } from '../helpers/listings.ts'
import type { Company } from './company.ts'

interface Backup {
  at: string
  /** Null: what was in it is not known. */
  entries: readonly ListedEntry[] | null
}

/**
 * Snapshots of a device, as if it had been backed up at these times: a test does not wait from one day to the next.
 * @returns their ids, in the same order
 */
export async function seedSnapshots(
  { db, dataDir }: Company,
  device: { orgId: string; deviceId: string; configId: string },
  backups: readonly Backup[],
): Promise<string[]> {
  const owner = { org_id: device.orgId, config_id: device.configId, device_id: device.deviceId }
  const repository = randomUUIDv7()
  const key = randomUUIDv7()
  const stamps = { created_at: backups[0]?.at ?? '', updated_at: backups[0]?.at ?? '' }
  const secret = { encrypted_private_key: 'x', key_hash: 'x' }
  db.run(
    q
      .insertInto('storage_encryption_keys')
      .values({ id: key, org_id: device.orgId, name: 'Key', ...secret, ...stamps }),
  )
  db.run(
    q
      .insertInto('backup_repositories')
      .values({ id: repository, ...owner, sub_path: repository, key_id: key, ...stamps }),
  )
  const index = new SnapshotIndex(join(dataDir, 'backup-index'))
  const ids: string[] = []
  for (const { at, entries } of backups) {
    const id = randomUUIDv7()
    const snapshotId = randomBytes(32).toString('hex')
    const files = entries?.filter(({ type = 'file' }) => type === 'file') ?? []
    db.run(
      q.insertInto('backup_snapshots').values({
        ...owner,
        id,
        repository_id: repository,
        snapshot_id: snapshotId,
        timestamp: at,
        size: files.reduce((sum, { size = 0 }) => sum + size, 0),
        file_count: entries === null ? 5 : files.length,
        label: 'Backup',
        backup_type: 'file',
        backup_mode: 'file',
        created_at: at,
        updated_at: at,
      }),
    )
    if (entries) await index.store(repository, { id: snapshotId, time: Date.parse(at) }, listing(snapshotId, entries))
    ids.push(id)
  }
  await index.stop()
  return ids
}
