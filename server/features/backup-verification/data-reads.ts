import { randomUUIDv7 } from 'node:crypto'
import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, hour, iso, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import type { Repositories, RepositoryRow } from '../backup-storage/index.ts'
import type { ApplianceChecks } from './appliance-checks.ts'
import type { VerificationLedger } from './ledger.ts'
import { isNight } from './night.ts'
import type { CheckPlaces } from './places.ts'
import { nightlyParts } from './reading-progress.ts'

interface DataReadServices {
  db: Database
  clock: Clock
  log: Log
  repositories: Repositories
  places: CheckPlaces
  ledger: VerificationLedger
  onAppliance: ApplianceChecks
}

/** What was read in this night is not read again. */
const restMs = 12 * hour

const page = `SELECT count(*) AS length, max(id) AS last FROM (
  SELECT id FROM backup_repositories WHERE id > @after ORDER BY id LIMIT @maxRows)`

const due = `SELECT repository.id, coalesce(read_at, '') AS readAt FROM backup_repositories AS repository
  LEFT JOIN backup_data_reads ON repository_id = repository.id
  WHERE repository.id > @after AND repository.id <= @last AND repository.state = 'ready'
    AND coalesce(read_at, '') <= @before`

/** Reads all data of every repository that the appliance reaches, a part each night, one repository at a time. */
export class DataReads {
  readonly #services: DataReadServices

  constructor(services: DataReadServices) {
    this.#services = services
  }

  /** Answers how many repositories were read. Begins none in the morning, unless somebody starts it by day. */
  async run(signal: AbortSignal): Promise<number> {
    const { clock } = this.#services
    const isNightWork = isNight(clock.now())
    let done = 0
    for (const id of await this.#due(signal)) {
      signal.throwIfAborted()
      if (isNightWork && !isNight(clock.now())) break
      if (await this.#read(id, signal)) done++
    }
    return done
  }

  /** What was read longest ago comes first. */
  async #due(signal: AbortSignal): Promise<string[]> {
    const { db, clock } = this.#services
    const before = iso(clock.now() - restMs)
    const found: { id: string; readAt: string }[] = []
    let after = ''
    await inPieces(signal, (maxRows) => {
      const { length, last } = db.statement<{ length: number; last: string | null }>(page).get({ after, maxRows }) ?? {
        length: 0,
        last: null,
      }
      found.push(...db.statement<{ id: string; readAt: string }>(due).all({ after, last, before }))
      after = last ?? after
      return length
    })
    return found.sort((one, other) => (one.readAt < other.readAt ? -1 : 1)).map(({ id }) => id)
  }

  async #read(id: string, signal: AbortSignal): Promise<boolean> {
    const { repositories, places, onAppliance, log } = this.#services
    const repository = repositories.find(id)
    const snapshot = this.#newest(id)
    if (!repository || !snapshot || (await places.of(snapshot, 'integrity'))?.ranOn !== 'appliance') return false
    const part = this.#nextPart(id)
    const reading = { repositoryId: id, snapshot, subset: `${part}/${nightlyParts}` }
    try {
      this.#note(repository, part, await onAppliance.read(reading, signal))
      return true
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ err: error, repositoryId: id }, 'The data of a repository could not be read')
      return false
    }
  }

  /** What is as it should be is only noted; what is not becomes a check with its findings. */
  #note({ id, org_id, device_id }: RepositoryRow, part: number, said: VerificationOutcome): void {
    const { db, clock, repositories, ledger } = this.#services
    db.transaction(() => {
      const repository = repositories.find(id)
      // It may have been deleted, or merged into another organization.
      if (repository?.org_id !== org_id) return
      const now = isoNow(clock)
      const news = { part, read_at: now, ...(part === nightlyParts && { completed_at: now }) }
      db.run(
        q
          .insertInto('backup_data_reads')
          .values({ id: randomUUIDv7(), repository_id: id, org_id, device_id, completed_at: null, ...news })
          .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(news)),
      )
      const snapshot = this.#newest(id)
      if (said.status === 'passed' || !snapshot) return
      ledger.record(
        {
          ...{ snapshot, type: 'integrity', source: 'scheduled', ranOn: 'appliance' },
          ...{ requestedBy: null, subset: `${part}/${nightlyParts}` },
        },
        said,
      )
    })
  }

  #nextPart(repositoryId: string): number {
    const last = q.selectFrom('backup_data_reads').select('part').where('repository_id', '=', repositoryId)
    return ((this.#services.db.first(last)?.part ?? 0) % nightlyParts) + 1
  }

  #newest(repositoryId: string): SnapshotRow | undefined {
    const { db } = this.#services
    return db.first(
      q
        .selectFrom('backup_snapshots')
        .selectAll()
        .where('repository_id', '=', repositoryId)
        .where('expired_at', 'is', null)
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(1),
    )
  }
}
