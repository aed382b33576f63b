import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import type { StorageProviderName } from '../../../../shared/api/backup-configs.ts'
import { errorCode, toError } from '../../../../shared/thrown.ts'
import { second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { type Destinations, Unreachable } from '../../../platform/outbound/index.ts'
import type { BackupStore } from '../../backup-store/index.ts'
import { fetching } from '../guarded-fetch.ts'
import { textOf } from '../providers/fields.ts'
import { providers } from '../providers/index.ts'
import type { ObjectLock } from '../s3/bucket.ts'
import { type Details, withoutSecretsOf } from '../secrets-of-details.ts'
import { NotAsked, Unclear, Unusable } from '../unusable.ts'
import { probeRest } from './rest-probe.ts'
import { probeByRestic } from './restic-probe.ts'
import { probeS3 } from './s3-probe.ts'

export interface StorageProbeParts {
  destinations: Destinations
  store: Pick<BackupStore, 'probe'>
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
  /** Private; for secrets while restic runs. */
  folder: string
  log: Log
}

export interface ProbeOutcome {
  status: 'success' | 'failed' | 'unsupported'
  error: string | null
  /** Of S3. */
  objectLock?: ObjectLock
  /** Of the store of the appliance. */
  freeBytes?: number
}

const patienceMs = 30 * second
const late = 'The storage did not answer within 30 seconds'
/** Each takes some 50 MB. */
const inTurn = pLimit(2)

/** Whether a storage can be used, as far as the appliance can find out without a device. */
export class StorageProbe {
  readonly #parts: StorageProbeParts

  constructor(parts: StorageProbeParts) {
    this.#parts = parts
  }

  async look(provider: StorageProviderName, details: Details): Promise<ProbeOutcome> {
    const signal = AbortSignal.timeout(patienceMs)
    try {
      return { status: 'success', error: null, ...(await this.#ask(provider, details, signal)) }
    } catch (error) {
      const status = error instanceof NotAsked ? 'unsupported' : 'failed'
      return { status, error: this.#reasonOf(error, signal, details) }
    }
  }

  async #ask(
    provider: StorageProviderName,
    details: Details,
    signal: AbortSignal,
  ): Promise<Pick<ProbeOutcome, 'objectLock' | 'freeBytes'>> {
    switch (provider) {
      case 'local':
        if (details.location === 'device') throw new NotAsked('Path is checked on the device at the first backup')
        return { freeBytes: await this.#parts.store.probe().catch(asMissing) }
      case 's3':
        return {
          objectLock: await fetching(this.#parts.destinations, details, (fetch) => probeS3(details, fetch, signal)),
        }
      case 'rest':
        await fetching(this.#parts.destinations, details, (fetch) => probeRest(details, probePath(), fetch, signal))
        return {}
      case 'sftp':
        await this.#askSftp(details, signal)
        return {}
      default:
        await this.#parts.destinations.addressesOf(providers[provider].host?.(details) ?? '')
        await this.#askByRestic(provider, details, undefined, signal)
        return {}
    }
  }

  async #askByRestic(
    provider: StorageProviderName,
    details: Details,
    address: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { destinations, folder, findRestic } = this.#parts
    const target = providers[provider].target(details, probePath(), address)
    const file = await findRestic()
    if (!target || file === null) throw new NotAsked('The appliance has no backup engine to test this with')
    await inTurn(() => probeByRestic(destinations, { file, folder, cacheFolder: null }, target, signal))
  }

  /** ssh is told the address that was checked. What is no SFTP server looks like one that cannot be reached. */
  async #askSftp(details: Details, signal: AbortSignal): Promise<void> {
    const { destinations } = this.#parts
    const settled = destinations.settle()
    const socket = await destinations.connect(textOf(details, 'host') ?? '', Number(details.port))
    const { remoteAddress } = socket
    socket.destroy()
    try {
      await this.#askByRestic('sftp', details, remoteAddress, signal)
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      await settled
      throw new Unreachable(error)
    }
  }

  #reasonOf(error: unknown, signal: AbortSignal, details: Details): string {
    if (error instanceof Unclear) return withoutSecretsOf(details, error.message)
    if (error instanceof Unusable || error instanceof NotAsked || error instanceof AppError) return error.message
    if (signal.aborted) return late
    if (error instanceof Unreachable) return error.message
    this.#parts.log.warn({ err: error }, 'A test of backup storage failed')
    return withoutSecretsOf(details, toError(error).message)
  }
}

/** As when its disk is not mounted. */
function asMissing(error: unknown): never {
  throw errorCode(error) === 'ENOENT' ? new Unusable('The folder of the backup store is missing') : error
}

/** As deep as the repository of a device. */
const probePath = (): string => `${randomUUID()}/.probe-${randomUUID()}`
