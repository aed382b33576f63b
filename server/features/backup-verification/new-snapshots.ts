import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import type { Connections } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import type { VerificationLedger } from './ledger.ts'
import type { CheckPlaces } from './places.ts'
import type { Starts } from './starts.ts'

interface NewSnapshotServices {
  db: Database
  clock: Clock
  connections: Connections
  places: CheckPlaces
  ledger: VerificationLedger
  starts: Starts
}

/** What is older was there before, or its device has not been online since. */
const newWithinMs = day

const part = `SELECT count(*) AS length, max(id) AS last FROM (
  SELECT id FROM backup_repositories WHERE id > @after ORDER BY id LIMIT @maxRows)`

/** The newest snapshot of each repository, if it is new and no data was read since. */
const unread = `SELECT snapshot.id FROM backup_repositories AS repository
  JOIN backup_snapshots AS snapshot ON snapshot.id = (
    SELECT id FROM backup_snapshots INDEXED BY backup_snapshots_device
    WHERE device_id = repository.device_id AND repository_id = repository.id AND expired_at IS NULL
    ORDER BY timestamp DESC, id DESC LIMIT 1)
  WHERE repository.id > @after AND repository.id <= @last AND snapshot.created_at >= @since
    AND NOT EXISTS (
      SELECT 1 FROM backup_verifications AS done INDEXED BY backup_verifications_repository
      WHERE done.repository_id = repository.id AND done.created_at >= snapshot.created_at
        AND done.verification_type = 'integrity')`

/** After each backup, reads some of the data that it lies in; all of it as long as something is known to be wrong. */
export class NewSnapshots {
  readonly #services: NewSnapshotServices

  constructor(services: NewSnapshotServices) {
    this.#services = services
  }

  async check(signal: AbortSignal): Promise<void> {
    for (const id of await this.#unread(signal)) {
      signal.throwIfAborted()
      await this.#check(id)
    }
  }

  async #unread(signal: AbortSignal): Promise<string[]> {
    const { db, clock } = this.#services
    const since = iso(clock.now() - newWithinMs)
    const found: string[] = []
    let after = ''
    await inPieces(signal, (maxRows) => {
      const { length, last } = db.statement<{ length: number; last: string | null }>(part).get({ after, maxRows }) ?? {
        length: 0,
        last: null,
      }
      found.push(...db.statement<string>(unread).pluck().all({ after, last, since }))
      after = last ?? after
      return length
    })
    return found
  }

  async #check(id: string): Promise<void> {
    const { db, connections, places, ledger, starts } = this.#services
    const found = this.#snapshot(id)
    const place = found && (await places.of(found, 'integrity'))
    const snapshot = this.#snapshot(id)
    if (!snapshot || !place) return
    const { device_id: deviceId, org_id: orgId } = snapshot
    if (place.ranOn === 'device' && !(connections.isConnected(deviceId) && mayWork(db, deviceId))) return
    db.transaction(() => {
      const subset = ledger.hasTrouble({ deviceId, orgId }) ? null : place.quickSubset
      starts.beginUnlessBusy({
        ...{ snapshot, type: 'integrity', source: 'post_backup', ranOn: place.ranOn },
        ...{ requestedBy: null, subset },
      })
    })
  }

  #snapshot(id: string): SnapshotRow | undefined {
    const all = q.selectFrom('backup_snapshots').selectAll().where('id', '=', id)
    return this.#services.db.first(all.where('expired_at', 'is', null))
  }
}
