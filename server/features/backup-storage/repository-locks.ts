import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, iso, isoNow, minute } from '../../platform/clock.ts'
import { Signal } from '../../platform/signal.ts'
import type { RepositoryRow } from './repositories.ts'

interface LockServices {
  db: Database
  clock: Clock
}

type Repository = Pick<RepositoryRow, 'id' | 'config_id' | 'device_id'>

/** Says whether a device works in the repository now, by the rows of one feature. */
type IsWorkedIn = (repository: Repository) => boolean

/** A repository that nobody else works in. */
export interface RepositoryLock {
  /** Aborts when somebody cannot wait. */
  signal: AbortSignal
  release(): void
}

interface Holder {
  interruption: AbortController
  renewal: NodeJS.Timeout
}

/** After a crash the repository is free again when this has passed. */
const leaseMs = 5 * minute
const renewEveryMs = minute

/**
 * Who may work in a repository: any number of backups, restores and readers at the same time, or maintenance alone. What
 * devices do is in the rows of backups and restores; what the appliance itself reads, and who maintains, is kept here.
 */
export class RepositoryLocks {
  /** What waited for the repository may begin. */
  readonly released = new Signal<{ repositoryId: string; deviceId: string }>()
  readonly #services: LockServices
  readonly #workers: IsWorkedIn[] = []
  readonly #readers = new Map<string, number>()
  readonly #holders = new Map<string, Holder>()

  constructor(services: LockServices) {
    this.#services = services
  }

  /** To be called by each feature whose devices work in repositories, before the start. */
  workedInBy(isWorkedIn: IsWorkedIn): void {
    this.#workers.push(isWorkedIn)
  }

  /** Whether it is being maintained; to be asked in the transaction that begins work of a device there. */
  isHeld(where: { repositoryId: string } | { configId: string; deviceId: string }): boolean {
    const { db, clock } = this.#services
    const all = q.selectFrom('backup_repositories').select(['id', 'lock_until'])
    const found = db.first(
      'repositoryId' in where
        ? all.where('id', '=', where.repositoryId)
        : all.where('config_id', '=', where.configId).where('device_id', '=', where.deviceId),
    )
    if (!found) return false
    return this.#holders.has(found.id) || (found.lock_until !== null && found.lock_until > isoNow(clock))
  }

  /** Keeps maintenance away while the appliance itself reads; null while the repository is being maintained. */
  read(repositoryId: string): { release(): void } | null {
    if (this.isHeld({ repositoryId })) return null
    this.#count(repositoryId, 1)
    let isOver = false
    return {
      release: () => {
        if (!isOver) this.#count(repositoryId, -1)
        isOver = true
      },
    }
  }

  /** Whether nobody works, reads or maintains there. */
  isFree(repository: Repository): boolean {
    if (this.isHeld({ repositoryId: repository.id }) || this.#readers.has(repository.id)) return false
    return !this.#workers.some((isWorkedIn) => isWorkedIn(repository))
  }

  /** For maintenance; null while anybody works or reads there. */
  take(repositoryId: string): RepositoryLock | null {
    const { db } = this.#services
    const isTaken = db.transaction(() => {
      const repository = db.first(
        q.selectFrom('backup_repositories').select(['id', 'config_id', 'device_id']).where('id', '=', repositoryId),
      )
      if (!repository || !this.isFree(repository)) return null
      this.#lease(repositoryId, leaseMs)
      return repository
    })
    if (!isTaken) return null
    const interruption = new AbortController()
    const renewal = setInterval(() => this.#lease(repositoryId, leaseMs), renewEveryMs)
    this.#holders.set(repositoryId, { interruption, renewal })
    let isOver = false
    const release = () => {
      if (isOver) return
      isOver = true
      clearInterval(renewal)
      this.#holders.delete(repositoryId)
      this.#lease(repositoryId, null)
      this.released.say({ repositoryId, deviceId: isTaken.device_id })
    }
    return { signal: interruption.signal, release }
  }

  /** Asks maintenance to end: somebody waits for files. What it has done so far stays done. */
  interrupt(repositoryId: string): void {
    this.#holders.get(repositoryId)?.interruption.abort(new Error('Interrupted by a restore'))
  }

  /** What is still held is free when its lease has run out. */
  stop(): void {
    for (const { renewal } of this.#holders.values()) clearInterval(renewal)
  }

  #count(repositoryId: string, by: 1 | -1): void {
    const readers = (this.#readers.get(repositoryId) ?? 0) + by
    if (readers === 0) this.#readers.delete(repositoryId)
    else this.#readers.set(repositoryId, readers)
  }

  #lease(repositoryId: string, forMs: number | null): void {
    const { db, clock } = this.#services
    const until = forMs === null ? null : iso(clock.now() + forMs)
    db.run(
      q
        .updateTable('backup_repositories')
        .set({ lock_until: until, updated_at: isoNow(clock) })
        .where('id', '=', repositoryId),
    )
  }
}
