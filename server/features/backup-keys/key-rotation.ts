import { hostname } from 'node:os'
import pLimit from 'p-limit'
import { keyOutcome } from '../../../shared/device/backup.ts'
import type { RunThere } from '../../../shared/node/restic-maintenance.ts'
import { ResticRefused } from '../../../shared/node/restic-maintenance.ts'
import { addPassword, removePassword } from '../../../shared/node/restic-passwords.ts'
import { minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { DeviceCall, RepositoryWork } from '../backup-maintenance/index.ts'
import type { Repositories, RepositoryLocks, RepositoryRow } from '../backup-storage/index.ts'
import type { RepositoryKeys } from './repository-keys.ts'

interface RotationServices extends RepositoryWork {
  log: Log
  repositories: Repositories
  locks: RepositoryLocks
  rows: RepositoryKeys
  restic: ApplianceRestic
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
  /** Private; for secrets while restic runs. */
  folder: string
}

/** restic takes a processor for half a second to try a password. */
const hereAtOnce = 2
const devicesAtOnce = 4
const longestMs = 20 * minute

/**
 * Changes the keys of repositories, one at a time in each: the new password is added and tried, the row of the repository
 * is changed, the old password is removed with the new one. Whatever it is cut off in, the next run goes on. A repository
 * in which somebody works is left for the next run.
 */
export class KeyRotation {
  readonly #services: RotationServices

  constructor(services: RotationServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const { rows, findRestic } = this.#services
    const ids = rows.due()
    if (ids.length === 0) return
    const isEngineHere = (await findRestic()) !== null
    const here = pLimit(hereAtOnce)
    const onDevices = pLimit(devicesAtOnce)
    const failures = new Map<string, string>()
    const all = ids.map((id) => {
      const place = this.#find(id)?.place
      if (place === 'device') return onDevices(() => this.#change(id, signal, failures))
      return place !== undefined && isEngineHere ? here(() => this.#change(id, signal, failures)) : null
    })
    const ended = await Promise.allSettled(all)
    signal.throwIfAborted()
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  /** `failures`: why storages could not be reached in this run; what else lies in one is not tried. */
  async #change(id: string, signal: AbortSignal, failures: Map<string, string>): Promise<void> {
    const { locks, rows, log, maintenance, onDevices } = this.#services
    if (signal.aborted) return
    // Read now: another one may have taken long.
    const found = this.#find(id)
    if (!found || (found.place === 'device' && !onDevices.isReachable(found.row))) return
    const { row, place } = found
    const known = place === 'elsewhere' ? failures.get(row.config_id) : undefined
    if (known !== undefined) return rows.tried(id, known)
    const lock = locks.take(id)
    if (!lock) return
    const tooLong = AbortSignal.timeout(longestMs)
    try {
      await this.#steps(row, place, AbortSignal.any([signal, lock.signal, tooLong]))
      rows.tried(id, null)
    } catch (error) {
      if (signal.aborted || lock.signal.aborted) return
      const reason = tooLong.aborted ? 'It took longer than 20 minutes' : maintenance.reasonOf(error, row)
      log.warn({ err: error, repositoryId: id }, 'The key of a repository could not be changed')
      rows.tried(id, reason)
      if (isOfStorage(error)) failures.set(row.config_id, reason)
    } finally {
      lock.release()
    }
  }

  async #steps(row: RepositoryRow, place: Place, signal: AbortSignal): Promise<void> {
    const { rows, repositories } = this.#services
    const next = rows.begin(row)
    if (next !== null) {
      const isThere = await this.#add(row, next, place, signal)
      rows.change(row, next, isThere)
    }
    const changed = repositories.find(row.id)
    for (const keyId of changed ? rows.others(row.id) : []) {
      if (changed) await this.#remove(changed, keyId, place, signal)
      rows.removed(row.id, keyId)
    }
  }

  /** False when there is no repository, as before the first backup. */
  async #add(row: RepositoryRow, keyId: string, place: Place, signal: AbortSignal): Promise<boolean> {
    const { repositories, folder, onDevices } = this.#services
    const password = repositories.passwordOf({ ...row, key_id: keyId })
    const isThere =
      place === 'device'
        ? await onDevices.run(row, keyCall('add', password), signal)
        : await unlessMissing(async () => {
            const withOld = await this.#opened(row.id, row.key_id, signal)
            const withNew = await this.#opened(row.id, keyId, signal)
            await addPassword({ withOld, withNew, onlyHost: hostOf(place) }, password, folder)
          })
    if (!isThere && row.state !== 'new') throw new AppError('backup_repository_missing')
    return isThere
  }

  async #remove(row: RepositoryRow, keyId: string, place: Place, signal: AbortSignal): Promise<void> {
    const { repositories, onDevices } = this.#services
    const isThere =
      place === 'device'
        ? await onDevices.run(row, keyCall('remove', repositories.passwordOf({ ...row, key_id: keyId })), signal)
        : await unlessMissing(async () => {
            const withOld = await this.#opened(row.id, keyId, signal)
            const withNew = await this.#opened(row.id, row.key_id, signal)
            await removePassword({ withOld, withNew, onlyHost: hostOf(place) })
          })
    if (!isThere && row.state !== 'new') throw new AppError('backup_repository_missing')
  }

  async #opened(repositoryId: string, keyId: string, signal: AbortSignal): Promise<RunThere> {
    const repository = await this.#services.restic.open(repositoryId, keyId)
    return (args, listeners) => repository.run(args, signal, listeners)
  }

  #find(id: string): { row: RepositoryRow; place: Place } | null {
    const { repositories, maintenance } = this.#services
    const row = repositories.find(id)
    const place = row ? maintenance.placeOf(row) : null
    return row && place ? { row, place } : null
  }
}

type Place = NonNullable<ReturnType<RepositoryWork['maintenance']['placeOf']>>

/** The access of a device to the store ends with its backup; elsewhere one may still be at it that was given up on. */
const hostOf = (place: Place): string | null => (place === 'store' ? hostname() : null)

const keyCall = (op: 'add' | 'remove', password: string): DeviceCall<boolean> => ({
  type: 'backup_key',
  payloadWith: (engine) => ({ op, password, engine }),
  outcome: keyOutcome.transform(({ isThere }) => isThere),
})

async function unlessMissing(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof ResticRefused && error.refusal === 'no-repository') return false
    throw error
  }
}

/** It concerns every repository in the storage. */
const isOfStorage = (error: unknown): boolean =>
  error instanceof ResticRefused && (error.refusal === 'unreachable' || error.refusal === 'not-admitted')
