import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, day, hour, iso, isoNow } from '../../platform/clock.ts'
import type { RepositoryRow } from '../backup-storage/index.ts'

interface DueServices {
  db: Database
  clock: Clock
}

/** The data of an expired snapshot stays so long, for somebody who finds out too late. */
export const graceMs = 48 * hour
/** Interrupted backups leave data that nothing needs. */
const prunedEveryMs = 7 * day

/** What nothing keeps, and nothing reads. */
const mayGo = `snapshot.expired_at IS NOT NULL AND snapshot.legal_hold = 0
  AND (snapshot.is_immutable = 0 OR snapshot.immutable_until <= @now)
  AND NOT EXISTS (
    SELECT 1 FROM restore_jobs WHERE restore_jobs.snapshot_id = snapshot.id AND status IN ('pending', 'running'))`

const goingFrom = `SELECT snapshot.id, snapshot.snapshot_id AS snapshotId FROM backup_snapshots AS snapshot
  WHERE snapshot.repository_id = @repositoryId AND snapshot.expired_at <= @before AND snapshot.objects_deleted_at IS NULL
    AND ${mayGo}
  ORDER BY snapshot.expired_at LIMIT 1000`

const due = `SELECT repository.id, repository.maintained_at AS triedAt FROM backup_repositories AS repository
  WHERE repository.id > @after AND repository.id <= @last AND repository.state = 'ready' AND (
    coalesce(repository.last_prune_at, repository.created_at) <= @prunedBefore
    OR EXISTS (
      SELECT 1 FROM backup_snapshots AS snapshot
      WHERE snapshot.repository_id = repository.id AND (
        snapshot.expired_at <= @before AND ${mayGo} OR snapshot.objects_deleted_at IS NOT NULL)))`

/** A part of all repositories, from the one after this on. */
const part = `SELECT count(*) AS length, max(id) AS last FROM (
  SELECT id FROM backup_repositories WHERE id > @after ORDER BY id LIMIT @maxRows)`

interface Part {
  length: number
  last: string | null
}

/** A snapshot whose data is to go. */
export interface GoingSnapshot {
  id: string
  /** As restic names it. */
  snapshotId: string
}

/** Repositories in which there is something to do. */
export class DueRepositories {
  readonly #services: DueServices

  constructor(services: DueServices) {
    this.#services = services
  }

  /** Those that were never tried first, then by how long ago that was. */
  async ids(signal: AbortSignal): Promise<string[]> {
    const { db } = this.#services
    const found: { id: string; triedAt: string | null }[] = []
    let after = ''
    await inPieces(signal, (maxRows) => {
      const { length, last } = db.statement<Part>(part).get({ after, maxRows }) as Part
      found.push(...db.statement<(typeof found)[number]>(due).all({ ...this.#instants(), after, last }))
      after = last ?? after
      return length
    })
    const order = ({ triedAt }: (typeof found)[number]) => (triedAt === null ? 0 : Date.parse(triedAt))
    return found.sort((one, other) => order(one) - order(other)).map(({ id }) => id)
  }

  /** The whole repository, if it still is there and usable. */
  find(id: string): RepositoryRow | undefined {
    const repository = q.selectFrom('backup_repositories').selectAll().where('id', '=', id)
    return this.#services.db.first(repository.where('state', '=', 'ready'))
  }

  /** At most a thousand: what is more goes another night. */
  goingFrom(repositoryId: string): GoingSnapshot[] {
    const rows = this.#services.db.statement<GoingSnapshot>(goingFrom).all({ ...this.#instants(), repositoryId })
    // restic takes a part of an id for any that begins with it.
    return rows.filter(({ snapshotId }) => /^[0-9a-f]{64}$/.test(snapshotId))
  }

  #instants() {
    const { clock } = this.#services
    const now = clock.now()
    return { now: isoNow(clock), before: iso(now - graceMs), prunedBefore: iso(now - prunedEveryMs) }
  }
}
