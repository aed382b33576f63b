import { usageWindow } from '../../../shared/api/backup-usage.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import type { BackupStore } from '../backup-store/index.ts'

interface DayServices {
  db: Database
  clock: Clock
  store: Pick<BackupStore, 'disk'>
}

/** Of devices that were moved away, the repositories stay behind and count nowhere. */
const keepDevices = `
  INSERT INTO backup_device_days (id, org_id, device_id, day, stored_bytes, newest_bytes)
  SELECT lower(hex(randomblob(16))), devices.org_id, devices.id, @day,
    (SELECT sum(stored_bytes) FROM backup_repositories
     WHERE device_id = devices.id AND org_id = devices.org_id),
    (SELECT coalesce(sum(size), 0) FROM (
       SELECT size, row_number() OVER (PARTITION BY config_id, backup_mode ORDER BY timestamp DESC, id DESC) AS version
       FROM backup_snapshots INDEXED BY backup_snapshots_device
       WHERE device_id = devices.id AND org_id = devices.org_id AND expired_at IS NULL)
     WHERE version = 1)
  FROM json_each(@ids) AS wanted JOIN devices ON devices.id = wanted.value
  WHERE EXISTS (SELECT 1 FROM backup_repositories WHERE device_id = devices.id AND org_id = devices.org_id)
  ON CONFLICT (device_id, org_id, day) DO UPDATE
    SET stored_bytes = excluded.stored_bytes, newest_bytes = excluded.newest_bytes`

/** Keeps what there is on each day, for how it grows. */
export class KeptDays {
  readonly #services: DayServices

  constructor(services: DayServices) {
    this.#services = services
  }

  async keep(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#services
    const today = isoNow(clock).slice(0, 10)
    await this.#keepDisk(today)
    const deviceIds = db.statement<string>('SELECT DISTINCT device_id FROM backup_repositories').pluck().all()
    await inPieces(signal, (maxRows) => {
      const some = deviceIds.splice(0, maxRows)
      if (some.length > 0) db.statement(keepDevices).run({ ids: JSON.stringify(some), day: today })
      return some.length
    })
    const oldest = iso(clock.now() - usageWindow.max * day).slice(0, 10)
    const old = q.selectFrom('backup_device_days').select('id').where('day', '<', oldest)
    await inPieces(signal, (maxRows) =>
      db.run(q.deleteFrom('backup_device_days').where('id', 'in', old.limit(maxRows))),
    )
    db.run(q.deleteFrom('backup_disk_days').where('day', '<', oldest))
  }

  async #keepDisk(today: string): Promise<void> {
    const { db, store } = this.#services
    const { totalBytes, freeBytes, reservedBytes } = await store.disk()
    const figures = { total_bytes: totalBytes, free_bytes: freeBytes, reserved_bytes: reservedBytes }
    db.run(
      q
        .insertInto('backup_disk_days')
        .values({ day: today, ...figures })
        .onConflict((conflict) => conflict.column('day').doUpdateSet(figures)),
    )
  }
}
