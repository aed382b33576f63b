import type { ResticEngine } from '../../../shared/device/backup.ts'
import { hour } from '../../platform/clock.ts'
import type { BackupConfigs, Repositories, RepositoryRow } from '../backup-storage/index.ts'
import { providers } from '../backup-storage/index.ts'
import { type BackupStore, storePath } from '../backup-store/index.ts'
import { type PublicStorage, publicStorage } from './public-agent.ts'

interface EngineServices {
  configs: BackupConfigs
  repositories: Repositories
  store: BackupStore
}

interface EngineWish {
  orgId: string
  configId: string
  /** Whose repository it is. */
  deviceId: string
  /** The backup or restore that it is for. */
  commandId: string
  mode: 'append' | 'read'
  limitUploadKib: number | null
}

/** A copy of a repository in a second place, as a restore reads it. */
export interface EngineCopy {
  repositoryId: string
  keyId: string
  /** In which it lies; its password follows from the name. */
  folder: string
  at: { path: string; reachedBy: 'device' | 'appliance' } | { configId: string; subPath: string }
}

/** What makes the backups of a device: restic, the public agent by itself, or nothing yet. */
export type EngineKind = 'restic' | 'public' | 'none'

/** `version`: what the device said last. */
export function engineOf(version: string | null): EngineKind {
  if (version === null) return 'none'
  return version.startsWith('restic/') ? 'restic' : 'public'
}

/** A command that takes longer is prolonged while its device says how far it is. */
const credentialLifeMs = 24 * hour

/** What restic on a device needs for one backup or one restore. It goes to the device in a frame and is kept nowhere. */
export class ResticEngines {
  readonly #services: EngineServices

  constructor(services: EngineServices) {
    this.#services = services
  }

  /** Null when the storage is gone or turned off. To be called in the transaction of the dispatch. */
  open(wish: EngineWish): { engine: ResticEngine; repository: RepositoryRow } | null {
    const { configs, repositories } = this.#services
    const { orgId, configId, deviceId, commandId, limitUploadKib } = wish
    const config = configs.open(configId)
    if (!config) return null
    const repository = repositories.ensure({ orgId, configId, deviceId })
    const target = providers[config.row.provider].target(config.details, repository.sub_path)
    return {
      repository,
      engine: {
        kind: 'restic',
        repositoryId: repository.id,
        place: target ? { at: 'elsewhere', ...target } : this.#placeInStore(repository.id, wish),
        password: repositories.passwordOf(repository),
        init: wish.mode === 'append' && repository.state === 'new',
        host: deviceId,
        tags: [`job:${commandId}`, `device:${deviceId}`, `org:${orgId}`],
        ...(limitUploadKib !== null && { limitUploadKiB: limitUploadKib }),
      },
    }
  }

  /** The same for a restore from a second copy; null when its storage is gone or turned off. */
  openCopy({ commandId, deviceId }: Pick<EngineWish, 'commandId' | 'deviceId'>, copy: EngineCopy): ResticEngine | null {
    const place = this.#placeOfCopy(commandId, copy)
    if (place === null) return null
    return {
      kind: 'restic',
      repositoryId: copy.repositoryId,
      place,
      password: this.#services.repositories.passwordOf({ key_id: copy.keyId, sub_path: copy.folder }),
      init: false,
      host: deviceId,
      tags: [],
    }
  }

  #placeOfCopy(commandId: string, { repositoryId, folder, at }: EngineCopy): ResticEngine['place'] | null {
    const { configs, store } = this.#services
    if ('configId' in at) {
      const config = configs.open(at.configId)
      const target = config && providers[config.row.provider].target(config.details, at.subPath)
      return target ? { at: 'elsewhere', ...target } : null
    }
    const path = `${at.path.replace(/[/\\]+$/, '')}/${folder}`
    if (at.reachedBy === 'device') return { at: 'elsewhere', url: path, env: {}, options: [] }
    const wish = { repositoryId, commandId, mode: 'read', lifeMs: credentialLifeMs, folder: path } as const
    const { id, secret } = store.issueCredential(wish)
    return { at: 'appliance', path: storePath(repositoryId), username: id, password: secret }
  }

  /** For a device with the public agent; null when the storage is gone, turned off, or of a kind that it does not know. */
  openPublic(configId: string): PublicStorage | null {
    const config = this.#services.configs.open(configId)
    return config ? publicStorage(config) : null
  }

  /** While the command is at work: the first backup of a large disk, or its restore, takes days. */
  prolong(commandId: string): void {
    this.#services.store.prolongCredentials(commandId, credentialLifeMs)
  }

  /** When the command was told to end, and may still be at work. */
  windDown(commandId: string): void {
    this.#services.store.windDownCredentials(commandId)
  }

  /** When the command is over, however it ended. */
  close(commandId: string): void {
    this.#services.store.revokeCredentials(commandId)
  }

  /** Why the store of the appliance has taken nothing more from a command that is under way; null when it has. */
  refusalOf(commandId: string): string | null {
    return this.#services.store.refusalOf(commandId)
  }

  #placeInStore(repositoryId: string, { commandId, mode }: EngineWish): ResticEngine['place'] {
    const { store } = this.#services
    const { id, secret } = store.issueCredential({ repositoryId, commandId, mode, lifeMs: credentialLifeMs })
    return { at: 'appliance', path: storePath(repositoryId), username: id, password: secret }
  }
}
