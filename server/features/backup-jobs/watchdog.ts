import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, hour, minute } from '../../platform/clock.ts'
import type { Connections } from '../device-connections/index.ts'
import type { JobDispatch } from './dispatch.ts'
import type { JobLedger } from './ledger.ts'
import { openStatuses, staleMark } from './store.ts'

interface WatchdogServices {
  db: Database
  clock: Clock
  connections: Connections
  ledger: JobLedger
  dispatch: JobDispatch
}

/** Backups of which nothing is heard any more end here; a late result may still say what really happened. */
export class JobWatchdog {
  readonly #db: Database
  readonly #clock: Clock
  readonly #ledger: JobLedger
  readonly #dispatch: JobDispatch
  readonly #connections: Connections

  constructor({ db, clock, connections, ledger, dispatch }: WatchdogServices) {
    this.#connections = connections
    this.#db = db
    this.#clock = clock
    this.#ledger = ledger
    this.#dispatch = dispatch
  }

  /** Answers how many it gave up on. */
  run(): number {
    // Nobody says that maintenance is over that a crash has ended.
    this.#dispatch.pushes.toAll()
    const open = this.#db.all(
      q
        .selectFrom('backup_jobs')
        .innerJoin('devices', 'devices.id', 'backup_jobs.device_id')
        .select(['backup_jobs.id', 'backup_jobs.device_id', 'backup_jobs.config_id', 'backup_jobs.status'])
        .select('backup_jobs.created_at')
        .select(['started_at', 'last_progress_at', 'devices.status as device_status', 'devices.last_seen_at'])
        .where('backup_jobs.status', 'in', openStatuses),
    )
    let givenUp = 0
    for (const job of open) {
      const reason = this.#reasonFor(job)
      if (reason === null) continue
      this.#db.transaction(() => this.#ledger.giveUp(job, 'failed', { error_log: `${staleMark}${reason}` }))
      if (job.status === 'running') this.#dispatch.stop(job.device_id, job.id)
      givenUp++
    }
    return givenUp
  }

  #reasonFor(job: OpenJob): string | null {
    const since = (instant: string | null) => (instant === null ? Infinity : this.#clock.now() - Date.parse(instant))
    if (job.status === 'pending') {
      if (since(job.created_at) <= 60 * minute || this.#dispatch.isHeld(job)) return null
      return 'Backup dispatch never completed'
    }
    const { progress } = this.#ledger
    const silence = progress.lastHeard.silenceOf(job.id)
    const isSilent = job.device_status === 'offline' || since(job.last_seen_at) > 5 * minute
    const isOffline = isSilent && !this.#connections.isConnected(job.device_id)
    if (isOffline && silence > 10 * minute) return 'Device went offline during backup'
    const saysHowFar = progress.of(job.id) !== undefined || job.last_progress_at !== null
    if (saysHowFar) return silence > 15 * minute ? 'Backup stalled: no progress reported for 15 minutes' : null
    return since(job.started_at) > 24 * hour ? 'Backup timed out (no completion after 24h)' : null
  }
}

interface OpenJob {
  id: string
  device_id: string
  config_id: string | null
  status: string
  created_at: string
  started_at: string | null
  last_progress_at: string | null
  device_status: string
  last_seen_at: string | null
}
