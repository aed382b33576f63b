import type { Readable } from 'node:stream'
import { type ErrorCode, errorTable } from '../../../shared/errors/index.ts'
import { errorCode } from '../../../shared/thrown.ts'
import { AppError } from '../../platform/errors.ts'
import type { CredentialWish, StoreCaller, StoreCredential, StoreCredentials } from './credentials.ts'
import type { ObjectKind, StoredObject } from './object-path.ts'
import type { StoreQuotas } from './quotas.ts'
import type { RepositoryFiles } from './repository-files.ts'
import { Uploads } from './uploads.ts'
import type { StoreUsage } from './usage.ts'

interface BackupStoreParts {
  files: RepositoryFiles
  credentials: StoreCredentials
  usage: StoreUsage
  quotas: Pick<StoreQuotas, 'of'>
  /** Bytes of the disk that backups leave to the appliance itself. */
  reservedBytes: number
}

/**
 * The repositories that the appliance holds for its devices. They only grow: what a device has stored, its own credential
 * can neither change nor remove. Only the server itself, which opens the same folders, prunes them.
 */
export class BackupStore {
  readonly #parts: BackupStoreParts
  readonly #uploads = new Uploads()
  /** Of commands that are under way: why there was no room, or no disk, for what they sent last. */
  readonly #refusals = new Map<string, ErrorCode>()

  constructor(parts: BackupStoreParts) {
    this.#parts = parts
  }

  /** For one command; to be called in the transaction that dispatches it. */
  issueCredential(wish: CredentialWish): StoreCredential {
    return this.#parts.credentials.issue(wish)
  }

  /** When the command is over. */
  revokeCredentials(commandId: string): void {
    this.#parts.credentials.revoke(commandId)
    this.#refusals.delete(commandId)
  }

  /** Why the store has taken nothing more from a command that is under way, in words; null when it has. */
  refusalOf(commandId: string): string | null {
    const code = this.#refusals.get(commandId)
    return code ? errorTable[code].error : null
  }

  prolongCredentials(commandId: string, lifeMs: number): void {
    this.#parts.credentials.prolong(commandId, lifeMs)
  }

  /** When the command was told to end. */
  windDownCredentials(commandId: string): void {
    this.#parts.credentials.windDown(commandId)
  }

  /** Where restic itself finds a repository on this machine. */
  pathOf(repositoryId: string): string {
    return this.#parts.files.pathOf(repositoryId)
  }

  /** The folder that a caller works in. */
  placeOf({ folder, repositoryId }: StoreCaller): string {
    return folder ?? this.pathOf(repositoryId)
  }

  /** Looks how much a repository holds, and counts on from there. Nobody may upload meanwhile. */
  async measure(repositoryId: string): Promise<number> {
    const { files, usage } = this.#parts
    const bytes = await files.measure(repositoryId)
    usage.set(repositoryId, bytes)
    return bytes
  }

  /**
   * Whether the store can be written to and read; bytes that are free on its disk.
   * @throws AppError `backup_store_*`
   */
  async probe(): Promise<number> {
    await this.#parts.files.probe().catch(asRefusal)
    return this.#parts.files.freeBytes()
  }

  /** @throws AppError `backup_store_forbidden` when the repository was used before: an empty folder is not to become a new one */
  async create(caller: StoreCaller): Promise<void> {
    if (caller.mode !== 'append' || !caller.isNew || caller.folder !== null)
      throw new AppError('backup_store_forbidden')
    await this.#parts.files.create(caller.repositoryId).catch(asRefusal)
  }

  /**
   * Bytes of an object.
   * @throws AppError `backup_store_object_not_found`
   */
  async sizeOf(caller: StoreCaller, object: StoredObject): Promise<number> {
    const bytes = await this.#parts.files.size(this.placeOf(caller), object)
    if (bytes === null) throw new AppError('backup_store_object_not_found')
    return bytes
  }

  /** JSON of names and sizes. */
  list(caller: StoreCaller, kind: ObjectKind): Promise<Uint8Array> {
    if (caller.folder !== null && kind === 'locks') return Promise.resolve(new TextEncoder().encode('[]'))
    return this.#parts.files.list(this.placeOf(caller), kind)
  }

  /**
   * Stores what is sent, of which `bytes` are announced. When it resolves, the object outlasts a power cut.
   * @throws AppError `backup_store_*`
   */
  async add(caller: StoreCaller, object: StoredObject, content: Readable, bytes: number): Promise<void> {
    const { files, usage } = this.#parts
    assertMay(caller, 'add', object)
    assertSize(object, bytes)
    if (caller.folder !== null) return drained(content)
    const end = this.#uploads.begin(caller, bytes)
    try {
      // A lock is small and is removed again; without one, nothing could be read when the disk is full.
      if (object.kind === 'locks') await this.#assertFewLocks(caller)
      else await this.#assertRoom(caller)
      const upload = await files.write(this.placeOf(caller), object, content).catch(asRefusal)
      if (upload.isNew) usage.add(caller, upload.bytes)
      this.#refusals.delete(caller.commandId)
    } catch (error) {
      this.#note(caller, error)
      throw error
    } finally {
      end()
    }
  }

  /** @throws AppError `backup_store_forbidden` for everything but a lock */
  async remove(caller: StoreCaller, object: StoredObject): Promise<void> {
    assertMay(caller, 'remove', object)
    if (caller.folder !== null) return
    const bytes = await this.#parts.files.remove(this.placeOf(caller), object)
    if (bytes === null) throw new AppError('backup_store_object_not_found')
    this.#parts.usage.add(caller, -bytes)
  }

  async #assertFewLocks(caller: StoreCaller): Promise<void> {
    if ((await this.#parts.files.count(this.placeOf(caller), 'locks')) >= mostLocks)
      throw new AppError('backup_store_forbidden')
  }

  /** What this upload and the others announce counts as if it were there. */
  async #assertRoom({ orgId }: StoreCaller): Promise<void> {
    const { files, usage, quotas, reservedBytes } = this.#parts
    const quota = quotas.of(orgId)
    if (quota !== null && usage.ofOrganization(orgId) + this.#uploads.bytesOf(orgId) > quota)
      throw new AppError('backup_store_quota_reached')
    if ((await files.freeBytes()) - this.#uploads.bytes < reservedBytes) throw new AppError('backup_store_disk_full')
  }

  /** restic only passes on that it was refused, not why. */
  #note({ commandId }: StoreCaller, error: unknown): void {
    if (error instanceof AppError && error.status === 507) this.#refusals.set(commandId, error.code)
  }
}

/** A lock in a second copy: its disk may be one that can only be read, and the appliance knows who reads there. */
async function drained(content: Readable): Promise<void> {
  for await (const _ of content);
}

/** Reading is always allowed; somebody who only reads may still lock. */
function assertMay({ mode, isNew, folder }: StoreCaller, deed: 'add' | 'remove', { kind }: StoredObject): void {
  if (kind === 'locks') return
  if (deed === 'remove' || mode !== 'append' || folder !== null) throw new AppError('backup_store_forbidden')
  if (kind === 'config' && !isNew) throw new AppError('backup_store_forbidden')
}

const kibibyte = 1024
/** Each names the process that holds it, and is removed with it. */
const mostLocks = 1000
const largest = {
  config: 64 * kibibyte,
  locks: 64 * kibibyte,
  /** restic makes packs of 128 MB at most. */
  others: 256 * kibibyte * kibibyte,
}

/** The content of a configuration has no name that it must match, and locks are stored whatever room there is. */
function assertSize({ kind }: StoredObject, bytes: number): void {
  const most = kind === 'config' || kind === 'locks' ? largest[kind] : largest.others
  if (bytes > most) throw new AppError('backup_store_object_too_large')
}

function asRefusal(error: unknown): never {
  switch (errorCode(error)) {
    case 'wrong_hash':
      throw new AppError('backup_store_wrong_hash')
    case 'exists':
      throw new AppError('backup_store_object_exists')
    case 'ENOSPC':
    case 'EDQUOT':
      throw new AppError('backup_store_disk_full', {}, { cause: error })
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      throw new AppError('backup_store_read_only', {}, { cause: error })
    default:
      throw error
  }
}
