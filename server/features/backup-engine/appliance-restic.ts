import { rmSync } from 'node:fs'
import { copyingFrom } from '../../../shared/node/restic-copy.ts'
import { type ResticEnd, reasonFrom, refusalOf } from '../../../shared/node/restic-refusals.ts'
import { type ResticListeners, type ResticRepository, runRestic } from '../../../shared/node/restic-run.ts'
import { AppError } from '../../platform/errors.ts'
import { type Destinations, Unreachable } from '../../platform/outbound/index.ts'
import {
  type BackupConfigs,
  providers,
  type Repositories,
  type RepositoryLocks,
  type RepositoryRow,
  runGuarded,
  withoutSecretsOf,
} from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'

interface ApplianceResticParts {
  configs: Pick<BackupConfigs, 'open'>
  repositories: Pick<Repositories, 'find' | 'passwordOf'>
  store: Pick<BackupStore, 'pathOf'>
  locks: Pick<RepositoryLocks, 'read'>
  destinations: Destinations
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
  /** Private; for secrets while restic runs. */
  folder: string
}

type OpenConfig = NonNullable<ReturnType<BackupConfigs['open']>>

/** A repository that the appliance can read without the device. */
export interface OpenRepository {
  run(args: readonly string[], signal: AbortSignal, listeners?: ResticListeners): Promise<ResticEnd>
  /** Why a run did nothing. */
  refusalFor(end: ResticEnd): AppError
}

/** Where a second copy lies: in a folder that the appliance reaches, or in other storage. */
export type CopyPlace = { folder: string } | { configId: string; subPath: string }

type Run = OpenRepository['run']

/** A repository and its second copy, both of which the appliance reaches. */
export interface OpenCopy {
  source: Run
  copyWith(password: string): Run
  /** Restic in the copy, told where the repository is. */
  bothWith(password: string): Run
  /** Restic in the repository, told where the copy is. */
  backWith(password: string): Run
}

/** The appliance's own restic, for what can be done without the device. */
export class ApplianceRestic {
  readonly #parts: ApplianceResticParts

  /** No other process uses the folder: what is in it is of one that was killed. */
  constructor(parts: ApplianceResticParts) {
    this.#parts = parts
    rmSync(parts.folder, { recursive: true, force: true })
  }

  /**
   * With its own key, unless another one is named.
   * @throws AppError `restore_storage_gone`, `backup_out_of_reach`, `backup_engine_not_here`,
   *   `backup_repository_unreadable`
   */
  async open(repositoryId: string, keyId?: string): Promise<OpenRepository> {
    const { configs, repositories, destinations, findRestic, folder } = this.#parts
    const row = repositories.find(repositoryId)
    const config = row && configs.open(row.config_id)
    if (!row || !config) throw new AppError('restore_storage_gone', { reason: 'config_not_found' })
    const target = await this.#targetOf(row, config)
    const file = await findRestic()
    if (file === null) throw new AppError('backup_engine_not_here')
    const runner = { file, folder, cacheFolder: null }
    // Asked for each run: its key may change between two.
    const repository = (): ResticRepository => ({
      ...target,
      password: repositories.passwordOf(keyId ? { ...row, key_id: keyId } : (repositories.find(row.id) ?? row)),
    })
    return {
      run: (...call) =>
        config.row.provider === 'local'
          ? runRestic(runner, repository(), ...call)
          : runGuarded(destinations, runner, repository(), ...call),
      refusalFor: (end) =>
        refusalOf(end) === 'locked'
          ? new AppError('backup_repository_busy')
          : unreadable(withoutSecretsOf(config.details, reasonFrom(end))),
    }
  }

  /** The same for one who reads: maintenance waits, and a run begins only when there is none. */
  async openToRead(repositoryId: string): Promise<OpenRepository> {
    const repository = await this.open(repositoryId)
    return {
      ...repository,
      run: async (...call) => {
        const reading = this.#parts.locks.read(repositoryId)
        if (!reading) throw new AppError('backup_repository_busy')
        try {
          return await repository.run(...call)
        } finally {
          reading.release()
        }
      },
    }
  }

  /**
   * One of the two lies in a folder of the appliance: restic can be told the accounts of one storage only.
   * @throws AppError as `open`, and `backup_vault_two_storages`
   */
  async openCopy(repositoryId: string, place: CopyPlace): Promise<OpenCopy> {
    const { configs, repositories, destinations, findRestic, folder } = this.#parts
    const row = repositories.find(repositoryId)
    const config = row && configs.open(row.config_id)
    const other = 'configId' in place ? configs.open(place.configId) : null
    if (!row || !config || other === undefined)
      throw new AppError('restore_storage_gone', { reason: 'config_not_found' })
    const isHere = config.row.provider === 'local'
    if (other !== null && !isHere) throw new AppError('backup_vault_two_storages')
    const own = await this.#targetOf(row, config)
    const there = 'folder' in place ? { url: place.folder, env: {}, options: [] } : await this.#placeIn(other, place)
    const file = await findRestic()
    if (file === null) throw new AppError('backup_engine_not_here')
    const runner = { file, folder, cacheFolder: null }
    const source = (): ResticRepository => ({
      ...own,
      password: repositories.passwordOf(repositories.find(row.id) ?? row),
    })
    const run =
      (repository: () => ResticRepository): Run =>
      (...call) =>
        isHere && other === null
          ? runRestic(runner, repository(), ...call)
          : runGuarded(destinations, runner, repository(), ...call)
    return {
      source: run(source),
      copyWith: (password) => run(() => ({ ...there, password })),
      bothWith: (password) => run(() => copyingFrom(source(), { ...there, password })),
      backWith: (password) => run(() => copyingFrom({ ...there, password }, source())),
    }
  }

  async #placeIn(config: OpenConfig | null, place: CopyPlace) {
    if (config === null || 'folder' in place) throw new AppError('backup_out_of_reach')
    const { host, target } = providers[config.row.provider]
    const [address] = host ? await this.#parts.destinations.addressesOf(host(config.details)).catch(asUnreadable) : []
    const found = target(config.details, place.subPath, address)
    if (!found) throw new AppError('backup_out_of_reach')
    return found
  }

  /** Its own store lies in a folder. Of any other storage the host is looked up first: it may be none of ours. */
  async #targetOf({ id, sub_path }: RepositoryRow, { row, details }: OpenConfig) {
    const { store, destinations } = this.#parts
    const { host, target } = providers[row.provider]
    if (row.provider === 'local') {
      if (details.location === 'device') throw new AppError('backup_out_of_reach')
      return { url: store.pathOf(id), env: {}, options: [] }
    }
    const [address] = host ? await destinations.addressesOf(host(details)).catch(asUnreadable) : []
    const found = target(details, sub_path, address)
    if (!found) throw new AppError('backup_out_of_reach')
    return found
  }
}

const unreadable = (reason: string) => new AppError('backup_repository_unreadable', { reason })

function asUnreadable(error: unknown): never {
  throw error instanceof Unreachable ? unreadable(error.message) : error
}
