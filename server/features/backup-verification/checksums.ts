import { randomUUIDv7 } from 'node:crypto'
import type { FileChecksum } from '../../../shared/device/backup.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'

interface ChecksumServices {
  db: Database
  clock: Clock
}

/** Of a device: it is the newest that are restored for proof. */
const keptSnapshots = 6

/** What files were when they were backed up, as the device said then. */
export class SnapshotChecksums {
  readonly #services: ChecksumServices

  constructor(services: ChecksumServices) {
    this.#services = services
  }

  /** Joins the transaction in which the snapshot is recorded. What was said first stays. */
  keep(snapshotId: string, files: readonly FileChecksum[]): void {
    const { db, clock } = this.#services
    if (files.length === 0) return
    const of = q.selectFrom('backup_snapshots').select(['org_id', 'device_id']).where('id', '=', snapshotId)
    const { org_id, device_id } = db.one(of)
    db.run(
      q
        .insertInto('backup_snapshot_checksums')
        .values({
          ...{ id: randomUUIDv7(), snapshot_id: snapshotId, org_id, device_id },
          ...{ files: toJson([...files]), created_at: isoNow(clock) },
        })
        .onConflict((conflict) => conflict.column('snapshot_id').doNothing()),
    )
    const newest = q
      .selectFrom('backup_snapshot_checksums')
      .select('snapshot_id')
      .where('device_id', '=', device_id)
      .orderBy('created_at', 'desc')
      .limit(keptSnapshots)
    db.run(
      q
        .deleteFrom('backup_snapshot_checksums')
        .where('device_id', '=', device_id)
        .where('snapshot_id', 'not in', newest),
    )
  }

  of(snapshotId: string): FileChecksum[] {
    const row = q.selectFrom('backup_snapshot_checksums').select('files').where('snapshot_id', '=', snapshotId)
    const found = this.#services.db.first(row)
    return found ? fromJson(found.files) : []
  }
}
