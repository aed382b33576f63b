import { randomUUID } from 'node:crypto'
import { downloadWaitSeconds, startBackupDownload } from '../../../shared/api/backup-downloads.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Origin, UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { type GuardRules, mayCall } from '../../platform/http/guard.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { equalSecrets, randomHex } from '../../platform/secrets.ts'
import type { Authentication } from '../authentication/index.ts'
import type { ApplianceRestic, OpenRepository } from '../backup-engine/index.ts'
import type { BackedUpFiles, SnapshotRow, Snapshots } from '../backup-snapshots/index.ts'
import type { RepositoryLocks } from '../backup-storage/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { type Entry, resticPathOf } from '../snapshot-index/index.ts'
import { beginArchive } from './archive.ts'
import { beginDump, type Dump, type Dumped } from './dump.ts'
import { archiveNameOf, fileNameOf } from './file-name.ts'
import { type Selection, selectionOf } from './selection.ts'

interface DownloadServices extends Pick<Authentication, 'identities'> {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  config: GuardRules
  snapshots: Snapshots
  files: BackedUpFiles
  restic: Pick<ApplianceRestic, 'open'>
  locks: Pick<RepositoryLocks, 'interrupt' | 'read'>
}

export interface Download {
  id: string
  fileName: string
  bytes: number | null
  content: Dump['content']
}

interface WaitingDownload extends Download {
  /** In the cookie of the browser that may fetch it. */
  secret: string
  actor: UserActor
  snapshotId: string
  expiresAt: number
}

/** Each reads from a disk that takes uploads of devices at the same time. One organization leaves room for others. */
const mostAtOnce = { ofOrganization: 2, ofAppliance: 6 }

/** Files of snapshots on their way to browsers. restic has begun with a download before the browser comes for it. */
export class BackupDownloads {
  readonly #services: DownloadServices
  readonly #waiting = new Map<string, WaitingDownload>()
  /** With the organization whose files they are. */
  readonly #running = new Map<Promise<void>, string>()
  readonly #stop = new AbortController()

  constructor(services: DownloadServices) {
    this.#services = services
  }

  /**
   * `left` is aborted when the caller goes before there is an answer.
   * @throws AppError `backup_snapshot_not_found`, `backup_downloads_busy`, and what `selectionOf` and
   *   `ApplianceRestic.open` throw
   */
  async begin(
    actor: UserActor,
    wanted: { id: string; paths: readonly string[]; orgId: string | undefined },
    left: AbortSignal,
  ): Promise<WaitingDownload> {
    const { limits, clock, files, db } = this.#services
    const snapshot = this.#authorize(actor, wanted)
    limits.consume('backup_download', actor.userId)
    const selection = await selectionOf(files, snapshot, wanted.paths)
    const { content } = await this.#inOneOfThePlaces(snapshot.org_id, (signal) =>
      this.#read(snapshot, selection, AbortSignal.any([signal, left])),
    )
    const download: WaitingDownload = {
      ...{ id: randomUUID(), secret: randomHex(32), actor, snapshotId: snapshot.id, content },
      bytes: 'only' in selection ? lengthOf(selection.only) : null,
      fileName: 'only' in selection ? fileNameOf(selection.only, snapshot.label) : archiveNameOf(snapshot.label),
      expiresAt: clock.now() + downloadWaitSeconds * second,
    }
    try {
      left.throwIfAborted()
      db.transaction(() => this.#record(actor, this.#authorize(actor, wanted), selection))
    } catch (error) {
      content.destroy()
      throw error
    }
    this.#waiting.set(download.id, download)
    const giveUp = setTimeout(() => this.#drop(download), downloadWaitSeconds * second)
    content.once('close', () => clearTimeout(giveUp))
    return download
  }

  /**
   * Once, for the browser that asked for it, while the session of the user goes on.
   * @throws AppError `backup_download_gone`
   */
  take(id: string, secret: string, origin: Origin): Download {
    const { clock } = this.#services
    const download = this.#waiting.get(id)
    if (!download || !equalSecrets(download.secret, secret)) throw new AppError('backup_download_gone')
    this.#waiting.delete(id)
    if (download.expiresAt > clock.now() && !download.content.errored && this.#mayStill(download, origin))
      return download
    this.#drop(download)
    throw new AppError('backup_download_gone')
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    for (const download of this.#waiting.values()) this.#drop(download)
    await Promise.all(this.#running.keys())
  }

  #authorize(actor: UserActor, { id, orgId }: { id: string; orgId: string | undefined }): SnapshotRow {
    const { db, snapshots } = this.#services
    const found = db.first(q.selectFrom('backup_snapshots').select('org_id').where('id', '=', id))
    if (!found) throw new AppError('backup_snapshot_not_found')
    // Found without the reach, so that a frozen organization says so.
    operableOrganization(db, actor, found.org_id, 'backup_snapshot_not_found')
    return snapshots.find(actor, id, orgId)
  }

  #mayStill({ actor, snapshotId }: WaitingDownload, origin: Origin): boolean {
    const { identities, config } = this.#services
    const identity = identities.current({ ...actor, origin })
    if (!identity) return false
    const now: UserActor = { ...identity, kind: 'user', origin }
    if (!mayCall(now, startBackupDownload, config)) return false
    try {
      this.#authorize(now, { id: snapshotId, orgId: undefined })
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  /** Maintenance waits until all of it is read. */
  async #read(snapshot: SnapshotRow, selection: Selection, signal: AbortSignal): Promise<Dump> {
    // Snapshots of the public agent are no repositories.
    if (snapshot.repository_id === null) throw new AppError('restore_legacy_snapshot', { reason: 'legacy_snapshot' })
    const { restic, locks } = this.#services
    const repository = await restic.open(snapshot.repository_id)
    const reading = locks.read(snapshot.repository_id)
    try {
      if (!reading) throw new AppError('backup_repository_busy')
      const dump = await begin(repository, snapshot.snapshot_id, selection, signal)
      return { ...dump, over: dump.over.finally(() => reading.release()) }
    } catch (error) {
      reading?.release()
      // It will be free when the person tries again.
      if (error instanceof AppError && error.code === 'backup_repository_busy') locks.interrupt(snapshot.repository_id)
      throw error
    }
  }

  /** From the begin until nobody reads any more. */
  async #inOneOfThePlaces(orgId: string, begin: (signal: AbortSignal) => Promise<Dump>): Promise<Dump> {
    const ofOrganization = [...this.#running.values()].filter((one) => one === orgId).length
    if (ofOrganization >= mostAtOnce.ofOrganization || this.#running.size >= mostAtOnce.ofAppliance)
      throw new AppError('backup_downloads_busy')
    const begun = begin(this.#stop.signal)
    const over = begun
      .then((dump) => dump.over)
      .catch(() => {})
      .finally(() => this.#running.delete(over))
    this.#running.set(over, orgId)
    return begun
  }

  #drop(download: WaitingDownload): void {
    this.#waiting.delete(download.id)
    download.content.destroy()
  }

  #record(actor: UserActor, snapshot: SnapshotRow, selection: Selection): void {
    this.#services.audit(actor, {
      action: 'backup.snapshot.download',
      resourceType: 'backup_snapshot',
      resourceId: snapshot.id,
      resourceName: snapshot.label,
      orgId: snapshot.org_id,
      details: { deviceId: snapshot.device_id, ...recorded(selection) },
    })
  }
}

function begin(repository: OpenRepository, snapshotId: string, selection: Selection, signal: AbortSignal) {
  const dump = ({ path }: Entry, as: Dumped['as'], until: AbortSignal) =>
    beginDump(repository, { snapshotId, path: resticPathOf(path), as }, until)
  const contentOf = (entry: Entry) => {
    const bytes = lengthOf(entry)
    return bytes === null ? null : { bytes }
  }
  if ('only' in selection) return dump(selection.only, contentOf(selection.only) ?? 'zip', signal)
  return beginArchive(selection.several, (entry, gone) =>
    dump(entry, contentOf(entry) ?? 'tar', AbortSignal.any([signal, gone])),
  )
}

/** Null for a folder: its archive is made on the way. */
const lengthOf = ({ type, size }: Entry): number | null => (type === 'file' ? (size ?? 0) : null)

function recorded(selection: Selection) {
  if ('several' in selection) return { paths: selection.several.map(({ path }) => path), ...selection.counts }
  const bytes = lengthOf(selection.only)
  return { path: selection.only.path, ...(bytes !== null && { bytes }) }
}
