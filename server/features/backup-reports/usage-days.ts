import { usageDays } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'

interface UsageDayServices {
  db: Database
  clock: Clock
}

/** Of devices that were moved away, the repositories stay behind and count nowhere. */
const keep = `
  INSERT INTO backup_usage_days (id, org_id, site_id, day, stored_bytes, in_store_bytes)
  SELECT lower(hex(randomblob(16))), backup_repositories.org_id, site_id, @day, sum(stored_bytes),
    sum(iif(is_in_store, stored_bytes, 0))
  FROM backup_repositories JOIN devices ON devices.id = device_id AND devices.org_id = backup_repositories.org_id
  WHERE backup_repositories.org_id = @org GROUP BY site_id
  ON CONFLICT (site_id, day) DO UPDATE
    SET stored_bytes = excluded.stored_bytes, in_store_bytes = excluded.in_store_bytes`

/** Keeps how much is stored on each day, so that there is a history of it. */
export class UsageDays {
  readonly #services: UsageDayServices

  constructor(services: UsageDayServices) {
    this.#services = services
  }

  async keep(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#services
    const today = isoNow(clock).slice(0, 10)
    const orgIds = db.statement<string>('SELECT DISTINCT org_id FROM backup_repositories').pluck().all()
    await inPieces(signal, () => {
      const orgId = orgIds.pop()
      if (orgId === undefined) return 0
      db.statement(keep).run({ org: orgId, day: today })
      return 1
    })
    const oldest = iso(clock.now() - usageDays.max * day).slice(0, 10)
    db.run(q.deleteFrom('backup_usage_days').where('day', '<', oldest))
  }
}
