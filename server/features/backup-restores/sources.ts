import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { engineOf } from '../backup-engine/index.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import type { VaultCopies } from '../backup-vaults/index.ts'
import type { Device } from '../devices/index.ts'
import { IndexError, type SnapshotIndex } from '../snapshot-index/index.ts'

export interface Source {
  snapshot: SnapshotRow
  /** That gets the files. */
  device: Device
}

interface Wish {
  snapshotId: string
  deviceId?: string | undefined
  restoreType: 'full' | 'selective'
  selectedPaths?: string[] | undefined
}

/** What may be restored from where to where. */
export class RestoreSources {
  readonly #db: Database
  readonly #index: SnapshotIndex
  readonly #copies: Pick<VaultCopies, 'holding'>

  constructor(db: Database, index: SnapshotIndex, copies: Pick<VaultCopies, 'holding'>) {
    this.#db = db
    this.#index = index
    this.#copies = copies
  }

  /**
   * The snapshot and the device, if the actor may bring files from the site of the one to that of the other.
   * @throws AppError `backup_snapshot_not_found`, `restore_target_not_found`, `restore_site_denied`
   */
  find(actor: UserActor, { snapshotId, deviceId }: Wish, named: string | undefined): Source {
    // Which sites somebody sees is asked below, for both ends.
    const reach = { ...actor, sites: null }
    let wanted = q
      .selectFrom('backup_snapshots')
      .selectAll()
      .where('id', '=', snapshotId)
      .where('expired_at', 'is', null)
      .where(withinReach(reach, 'backup_snapshots'))
    if (named) wanted = wanted.where('org_id', '=', named)
    const snapshot = this.#db.first(wanted)
    if (!snapshot) throw new AppError('backup_snapshot_not_found')
    const device = this.#db.first(
      q
        .selectFrom('devices')
        .selectAll()
        .where('id', '=', deviceId ?? snapshot.device_id)
        .where('org_id', '=', snapshot.org_id)
        .where(withinReach(reach, 'devices')),
    )
    if (!device) throw new AppError('restore_target_not_found')
    this.#assertSites(actor, snapshot, device)
    return { snapshot, device }
  }

  /** @throws AppError `backup_snapshot_not_found` */
  organizationOf(snapshotId: string): string {
    const found = this.#db.first(q.selectFrom('backup_snapshots').select('org_id').where('id', '=', snapshotId))
    if (!found) throw new AppError('backup_snapshot_not_found')
    return found.org_id
  }

  /**
   * @throws AppError `restore_legacy_snapshot`, `restore_storage_gone`, `backup_engine_missing`, `restore_not_in_vault`
   */
  assertStorage(snapshot: SnapshotRow, { backup_version }: Device, vaultId: string | undefined): void {
    const engine = engineOf(backup_version)
    if (engine === 'none') throw new AppError('backup_engine_missing')
    // Each engine reads its own snapshots only.
    if ((snapshot.repository_id === null) !== (engine === 'public'))
      throw new AppError('restore_legacy_snapshot', { reason: 'legacy_snapshot' })
    if (vaultId !== undefined) {
      if (this.#copies.holding(vaultId, snapshot) === null) throw new AppError('restore_not_in_vault')
      return
    }
    const active = q.selectFrom('backup_configs').select('id').where('id', '=', snapshot.config_id)
    if (!this.#db.first(active.where('is_active', '=', 1)))
      throw new AppError('restore_storage_gone', { reason: 'config_not_found' })
  }

  /**
   * Paths of Windows lead nowhere on another system, and the other way round.
   * @throws AppError `restore_other_system`
   */
  assertSameFolders({ device_id }: SnapshotRow, target: Device): void {
    const source = this.#db.first(q.selectFrom('devices').select('os_type').where('id', '=', device_id))
    if (source && (source.os_type === 'windows') !== (target.os_type === 'windows'))
      throw new AppError('restore_other_system')
  }

  /**
   * What a restore has to bring; null where the files of the snapshot are not known.
   * @throws AppError `restore_not_indexed`, `restore_path_missing`
   */
  async expected(snapshot: SnapshotRow, wish: Wish): Promise<{ files: number; bytes: number } | null> {
    const counts = await this.counts(snapshot, wish)
    const isSelective = wish.restoreType === 'selective'
    if (counts === null && isSelective) throw new AppError('restore_not_indexed')
    const [path] = counts?.missing ?? []
    if (path !== undefined)
      throw new AppError('restore_path_missing', {
        error: `Selected path is not available in this snapshot: ${path}`,
        path,
      })
    return counts && { files: counts.files, bytes: counts.bytes }
  }

  /** Null where the files of the snapshot are not known. */
  async counts(snapshot: SnapshotRow, { restoreType, selectedPaths }: Wish) {
    if (snapshot.repository_id === null) return null
    const paths = restoreType === 'selective' ? (selectedPaths ?? []) : ['/']
    try {
      return await this.#index.expand(snapshot.repository_id, { snapshotId: snapshot.snapshot_id, paths })
    } catch (error) {
      if (error instanceof IndexError && (error.code === 'not_indexed' || error.code === 'damaged')) return null
      throw error
    }
  }

  /** The sites are those of this moment. A device that went to another organization has no site here any more. */
  #assertSites(actor: UserActor, { device_id, org_id }: SnapshotRow, target: Device): void {
    const source = this.#db.first(
      q.selectFrom('devices').select('site_id').where('id', '=', device_id).where('org_id', '=', org_id),
    )
    const [from, to] = [source?.site_id ?? null, target.site_id]
    if (!reachesSite(actor, from) || !reachesSite(actor, to)) throw new AppError('restore_site_denied')
    if (from !== to && !actor.permissions.has('backup:cross_site_restore')) throw new AppError('restore_site_denied')
  }
}
