import type {
  compareBackupSnapshots,
  readBackupFolder,
  readFileVersions,
  searchBackedUpFiles,
} from '../../../shared/api/backup-snapshots.ts'
import type { ParamsOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { iso } from '../../platform/clock.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { Devices } from '../devices/index.ts'
import { type Counts, type Entry, IndexError, type SnapshotIndex, type SnapshotName } from '../snapshot-index/index.ts'
import type { Snapshots } from './snapshots.ts'
import type { SnapshotRow } from './views.ts'

interface FileServices {
  db: Database
  devices: Pick<Devices, 'find'>
  snapshots: Snapshots
  index: SnapshotIndex
}

interface Page {
  after?: string | undefined
  limit: number
}

/** What is in snapshots, as people look for it. */
export class BackedUpFiles {
  readonly #services: FileServices

  constructor(services: FileServices) {
    this.#services = services
  }

  /** JSON: it may be megabytes, and comes from the thread of the index as it is. */
  async browse(actor: UserActor, id: string, named: string | undefined, path: string | undefined): Promise<Uint8Array> {
    const snapshot = this.#services.snapshots.find(actor, id, named)
    const { repository_id, snapshot_id } = snapshot
    if (path !== undefined) return this.#level(snapshot, path)
    try {
      const { json, isTruncated } = await this.#services.index.tree(repository_id ?? '', snapshot_id)
      return answerWith(snapshot, false, isTruncated, json)
    } catch (error) {
      if (!isUnknown(error) && repository_id !== null) throw error
      return answerWith(snapshot, snapshot.file_count > 0, false, Buffer.from('[]'))
    }
  }

  async folder(
    actor: UserActor,
    id: string,
    { orgId, path, q: text, ...page }: QueryOf<typeof readBackupFolder>,
  ): Promise<ReplyOf<typeof readBackupFolder>> {
    const { index, snapshots } = this.#services
    const snapshot = snapshots.find(actor, id, orgId)
    const asked = { snapshotId: snapshot.snapshot_id, path, text, ...pageOf(page) }
    const { items, counts, next } = await asAnswer(index.folder(repositoryOf(snapshot), asked))
    return { data: items, counts, next }
  }

  /**
   * A file or folder of a snapshot. All of it, `/`, is there even where its files are not known.
   * @throws AppError `backup_path_not_found`, `backup_files_unknown`
   */
  async entry(snapshot: SnapshotRow, path: string): Promise<Entry> {
    if (path === '/') return { name: '', path, type: 'folder', size: null, modifiedAt: null }
    const asked = { snapshotId: snapshot.snapshot_id, path }
    return asAnswer(this.#services.index.entry(repositoryOf(snapshot), asked))
  }

  /**
   * What files and folders come to, with all that is in them.
   * @throws AppError `backup_files_unknown`
   */
  async counts(snapshot: SnapshotRow, paths: readonly string[]): Promise<Counts> {
    const asked = { snapshotId: snapshot.snapshot_id, paths }
    const { files, folders, bytes } = await asAnswer(this.#services.index.expand(repositoryOf(snapshot), asked))
    return { files, folders, bytes }
  }

  async compare(
    actor: UserActor,
    { id, olderId }: ParamsOf<typeof compareBackupSnapshots>,
    { orgId, only, ...page }: QueryOf<typeof compareBackupSnapshots>,
  ): Promise<ReplyOf<typeof compareBackupSnapshots>> {
    const { index, snapshots } = this.#services
    const [newer, older] = [snapshots.find(actor, id, orgId), snapshots.find(actor, olderId, orgId)]
    if (newer.repository_id !== older.repository_id) throw new AppError('backup_not_comparable')
    const asked = { older: older.snapshot_id, newer: newer.snapshot_id, ...(only && { only }), ...pageOf(page) }
    const { items, counts, next } = await asAnswer(index.compare(repositoryOf(newer), asked))
    return { data: items, counts, next }
  }

  async search(
    actor: UserActor,
    deviceId: string,
    { orgId, configId, q: text, ...page }: QueryOf<typeof searchBackedUpFiles>,
  ): Promise<ReplyOf<typeof searchBackedUpFiles>> {
    const repository = this.#repositoryOfDevice(actor, deviceId, orgId, configId)
    if (repository === null || text === '') return { data: [], next: null }
    const { items, next } = await asAnswer(this.#services.index.search(repository, { text, ...pageOf(page) }))
    const named = this.#naming(repository)
    return { data: items.map((item) => ({ ...item, newestSnapshot: named(item.newestSnapshot) })), next }
  }

  async versions(
    actor: UserActor,
    deviceId: string,
    { orgId, configId, path }: QueryOf<typeof readFileVersions>,
  ): Promise<ReplyOf<typeof readFileVersions>> {
    const repository = this.#repositoryOfDevice(actor, deviceId, orgId, configId)
    if (repository === null) return { data: { path, versions: [] } }
    const found = await asAnswer(this.#services.index.versions(repository, path))
    const named = this.#naming(repository)
    const versions = found.versions.map((one) => ({
      ...one,
      newestSnapshot: named(one.newestSnapshot),
      oldestSnapshot: named(one.oldestSnapshot),
    }))
    return { data: { path: found.path, versions } }
  }

  async #level(snapshot: SnapshotRow, path: string): Promise<Uint8Array> {
    const asked = { snapshotId: snapshot.snapshot_id, path, limit: 1000 }
    const { items, next } = await asAnswer(this.#services.index.folder(repositoryOf(snapshot), asked))
    const nodes = items.map(({ name, path: at, type, size, modifiedAt }) => ({
      name,
      path: at,
      type: type === 'folder' ? 'directory' : 'file',
      ...(size !== null && { sizeBytes: size }),
      ...(modifiedAt !== null && { modifiedAt }),
    }))
    return answerWith(snapshot, false, next !== null, Buffer.from(JSON.stringify(nodes)))
  }

  /**
   * Null for a device without snapshots.
   * @throws AppError `backup_files_unknown` for one that only has those of the public agent
   */
  #repositoryOfDevice(actor: UserActor, deviceId: string, named?: string, configId?: string): string | null {
    const { db, devices } = this.#services
    devices.find(actor, deviceId)
    let found = q
      .selectFrom('backup_snapshots')
      .select('repository_id')
      .where('device_id', '=', deviceId)
      .where('expired_at', 'is', null)
      .where(withinReach(actor, 'backup_snapshots'))
    if (named) found = found.where('org_id', '=', named)
    if (configId) found = found.where('config_id', '=', configId)
    const newest = found.orderBy('timestamp', 'desc').limit(1)
    const row = db.first(newest.where('repository_id', 'is not', null)) ?? db.first(newest)
    return row ? repositoryOf(row) : null
  }

  /** From restic’s name of a snapshot to ours. */
  #naming(repositoryId: string) {
    const rows = this.#services.db.all(
      q
        .selectFrom('backup_snapshots')
        .select(['id', 'snapshot_id'])
        .where('repository_id', '=', repositoryId)
        .where('expired_at', 'is', null),
    )
    const ids = new Map(rows.map(({ id, snapshot_id }) => [snapshot_id, id]))
    return ({ id, time }: SnapshotName) => ({ id: ids.get(id) ?? null, takenAt: iso(time) })
  }
}

const pageOf = ({ after, limit }: Page) => ({ limit, ...(after !== undefined && { after }) })

/** @throws AppError `backup_files_unknown` for a snapshot of the public agent */
function repositoryOf({ repository_id }: Pick<SnapshotRow, 'repository_id'>): string {
  if (repository_id === null) throw new AppError('backup_files_unknown')
  return repository_id
}

const isUnknown = (error: unknown): boolean =>
  error instanceof IndexError && (error.code === 'not_indexed' || error.code === 'damaged')

async function asAnswer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (isUnknown(error)) throw new AppError('backup_files_unknown', {}, { cause: error })
    if (error instanceof IndexError && error.code === 'not_found') throw new AppError('backup_path_not_found')
    if (error instanceof IndexError && error.code === 'bad_cursor') throw fieldError('after', 'Is no end of a page')
    throw error
  }
}

function answerWith({ id }: SnapshotRow, isUnavailable: boolean, isTruncated: boolean, nodes: Uint8Array): Uint8Array {
  const head = { snapshotId: id, manifestUnavailable: isUnavailable, ...(isTruncated && { truncated: true }) }
  const text = JSON.stringify(head)
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)},"data":`), nodes, Buffer.from('}')])
}
