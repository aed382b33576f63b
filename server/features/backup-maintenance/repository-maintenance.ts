import { hostname } from 'node:os'
import { maintenanceOutcome } from '../../../shared/device/backup.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import {
  type MaintenanceWish,
  type Measured,
  maintainRepository,
  ResticRefused,
} from '../../../shared/node/restic-maintenance.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, hour, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import {
  type BackupConfigs,
  type Repositories,
  type RepositoryLocks,
  type RepositoryRow,
  withoutSecretsOf,
} from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import { frozenBecause } from '../organization-access/index.ts'
import { IndexError, type SnapshotIndex } from '../snapshot-index/index.ts'
import { type DeviceCall, DeviceRefused, type DeviceRepositories } from './device-repositories.ts'
import type { DueRepositories, GoingSnapshot } from './due-repositories.ts'

interface MaintenanceServices {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  configs: BackupConfigs
  repositories: Repositories
  locks: RepositoryLocks
  store: BackupStore
  index: SnapshotIndex
  restic: ApplianceRestic
  due: DueRepositories
  onDevices: DeviceRepositories
}

/** Who runs restic there. */
export type Place = 'store' | 'elsewhere' | 'device'

const actor = systemActor('backup.maintain')
/** What is cut off is gone on with another night. */
const longestMs = 2 * hour
/** To read what is elsewhere costs its owner money. */
const measuredEveryMs = { store: 20 * hour, elsewhere: 6 * day, device: 6 * day } as const

/** Maintenance of one repository, in which nobody else works meanwhile. */
export class RepositoryMaintenance {
  readonly #services: MaintenanceServices

  constructor(services: MaintenanceServices) {
    this.#services = services
  }

  /** Null when it is not its turn: turned off, out of use, or of an organization that nothing is changed in. */
  placeOf(row: RepositoryRow): Place | null {
    const { db, configs } = this.#services
    const config = configs.open(row.config_id)
    const org = db.first(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', row.org_id))
    if (!config || !org || frozenBecause(db, org) !== null) return null
    if (config.row.provider !== 'local') return 'elsewhere'
    return config.details.location === 'device' ? 'device' : 'store'
  }

  /**
   * Removes what has expired from the repository, the index and the list, in this order: whatever it is cut off in, the
   * next run goes on. False when somebody works there, or cannot wait.
   */
  async run(row: RepositoryRow, place: Place, signal: AbortSignal): Promise<boolean> {
    const { locks, repositories, db, log } = this.#services
    const lock = locks.take(row.id)
    if (!lock) return false
    const tooLong = AbortSignal.timeout(longestMs)
    try {
      await this.removeRows(row.id)
      await this.#prune(row, place, AbortSignal.any([signal, lock.signal, tooLong]))
      await this.removeRows(row.id)
      return true
    } catch (error) {
      if (signal.aborted) throw error
      if (lock.signal.aborted) return false
      const reason = tooLong.aborted ? 'It took longer than two hours' : this.reasonOf(error, row)
      log.warn({ err: error, repositoryId: row.id }, 'A repository could not be maintained')
      db.transaction(() => repositories.noteMaintenance(row.id, { error: reason }))
      return true
    } finally {
      lock.release()
    }
  }

  /** Of snapshots whose data is gone: their files first, so that none is found that cannot be opened. */
  async removeRows(repositoryId: string): Promise<void> {
    const { db, index, log } = this.#services
    const gone = db.all(
      q
        .selectFrom('backup_snapshots')
        .select(['id', 'snapshot_id'])
        .where('repository_id', '=', repositoryId)
        .where('objects_deleted_at', 'is not', null),
    )
    if (gone.length === 0) return
    const names = gone.map(({ snapshot_id }) => snapshot_id)
    await index.remove(repositoryId, names).catch((error) => {
      // One that cannot be read shows nothing, and is made anew some day.
      if (!(error instanceof IndexError) || error.code !== 'damaged') throw error
      log.warn({ err: error, repositoryId }, 'The index of a repository is damaged')
    })
    const ids = gone.map(({ id }) => id)
    db.run(q.deleteFrom('backup_snapshots').where('id', 'in', ids).where('objects_deleted_at', 'is not', null))
  }

  async #prune(row: RepositoryRow, place: Place, signal: AbortSignal): Promise<void> {
    const { due, restic, onDevices, store, clock } = this.#services
    const going = due.goingFrom(row.id)
    const measuredAt = row.measured_at === null ? Number.NEGATIVE_INFINITY : Date.parse(row.measured_at)
    const wish = {
      forget: going.map(({ snapshotId }) => snapshotId),
      isMeasured: clock.now() - measuredAt >= measuredEveryMs[place],
      // The access of a device to the store ends with its backup; elsewhere one may still be at it that was given up on.
      onlyHost: place === 'store' ? hostname() : null,
    }
    const measured =
      place === 'device'
        ? await onDevices.run(row, byDevice(wish), signal)
        : await this.#pruneHere(row, wish, restic, signal)
    const bytes = place === 'store' ? await store.measure(row.id) : null
    this.#noteDone(row, going, measured, bytes)
  }

  async #pruneHere(
    { id }: RepositoryRow,
    wish: Parameters<typeof maintainRepository>[1],
    restic: ApplianceRestic,
    signal: AbortSignal,
  ): Promise<Measured | null> {
    const repository = await restic.open(id)
    return maintainRepository((args, listeners) => repository.run(args, signal, listeners), wish)
  }

  /** `bytes`: as the store of the appliance counts them, files of restic included. */
  #noteDone(
    row: RepositoryRow,
    going: readonly GoingSnapshot[],
    measured: Measured | null,
    bytes: number | null,
  ): void {
    const { db, clock, repositories, audit } = this.#services
    db.transaction(() => {
      const now = isoNow(clock)
      const ids = going.map(({ id }) => id)
      if (ids.length > 0)
        db.run(
          q.updateTable('backup_snapshots').set({ objects_deleted_at: now, updated_at: now }).where('id', 'in', ids),
        )
      repositories.noteMaintenance(row.id, { measured, isCounted: bytes !== null })
      if (ids.length === 0) return
      const device = db.first(
        q.selectFrom('devices').select(['display_name', 'hostname']).where('id', '=', row.device_id),
      )
      const storedBytes = bytes ?? measured?.storedBytes ?? null
      audit(actor, {
        action: 'backup.snapshot.delete',
        resourceType: 'device',
        resourceId: row.device_id,
        resourceName: device?.display_name ?? device?.hostname ?? null,
        orgId: row.org_id,
        details: { snapshots: ids.length, ...(storedBytes !== null && { storedBytes }) },
      })
    })
  }

  /** In words that people of the organization may read. */
  reasonOf(error: unknown, { config_id }: RepositoryRow): string {
    const details = this.#services.configs.open(config_id)?.details ?? {}
    if (error instanceof ResticRefused || error instanceof DeviceRefused)
      return withoutSecretsOf(details, error.message)
    if (error instanceof AppError) {
      const { onScreen, error: plain } = errorTable[error.code]
      const reason: unknown = error.extra.reason
      return typeof reason === 'string' ? reason : (onScreen ?? plain)
    }
    return 'It ended unexpectedly. The log of the appliance says more'
  }
}

const byDevice = ({ forget, isMeasured }: MaintenanceWish): DeviceCall<Measured | null> => ({
  type: 'backup_maintain',
  payloadWith: (engine) => ({ forget, isMeasured, engine }),
  outcome: maintenanceOutcome.transform(({ storedBytes, uncompressedBytes }) =>
    storedBytes === null ? null : { storedBytes, uncompressedBytes },
  ),
})
