import { randomUUIDv7 } from 'node:crypto'
import type {
  cancelRestore,
  createRestore,
  listRestores,
  previewRestore,
  RestoreJob,
} from '../../../shared/api/backup-restores.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'
import type { Inventory } from '../inventory/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { RestoreDispatch } from './dispatch.ts'
import type { RestoreLedger } from './ledger.ts'
import type { RestoreSources, Source } from './sources.ts'
import { openStatuses, type RestoreRow, restoreById, restoreRows } from './store.ts'
import { targetOf } from './target-path.ts'

interface RestoreServices {
  db: Database
  clock: Clock
  audit: Audit
  devices: Devices
  inventory: Inventory
  sources: RestoreSources
  dispatch: RestoreDispatch
  ledger: RestoreLedger
}

type Wish = BodyOf<typeof createRestore>

const gigabyte = 1024 ** 3

/** Files brought back, as people ask for them. */
export class Restores {
  readonly #services: RestoreServices

  constructor(services: RestoreServices) {
    this.#services = services
  }

  async create(actor: UserActor, wanted: Wish, named: string | undefined): Promise<RestoreJob> {
    const { db, sources, dispatch, ledger } = this.#services
    // Before anything is looked up in the index, and once more in the transaction.
    this.#authorize(actor, wanted, named)
    const found = sources.find(actor, wanted, named)
    const expected = await sources.expected(found.snapshot, wanted)
    const id = db.transaction(() => this.#insert(actor, wanted, named, expected))
    ledger.lastHeard.note(id)
    dispatch.pushes.toDevice(found.device.id)
    return this.#view(id)
  }

  async preview(
    actor: UserActor,
    wanted: BodyOf<typeof previewRestore>,
    named: string | undefined,
  ): Promise<ReplyOf<typeof previewRestore>> {
    const { sources, inventory } = this.#services
    const { snapshot, device } = sources.find(actor, wanted, named)
    const counts = await sources.counts(snapshot, wanted)
    return {
      data: {
        files: counts?.files ?? null,
        bytes: counts?.bytes ?? null,
        missing: counts?.missing ?? [],
        deviceOnline: device.status !== 'offline' && device.status !== 'decommissioned',
        disks: inventory
          .disks(device.id)
          .flatMap(({ mountPoint, freeGb }) =>
            freeGb === undefined || freeGb === null ? [] : [{ mountPoint, freeBytes: Math.round(freeGb * gigabyte) }],
          ),
      },
    }
  }

  list(actor: UserActor, wanted: QueryOf<typeof listRestores>): ReplyOf<typeof listRestores> {
    const { db, ledger } = this.#services
    const orgId = backupOrganization(db, actor, wanted.orgId)
    let found = restoreRows().where('restore_jobs.org_id', '=', orgId).where(withinReach(actor, 'restore_jobs'))
    if (wanted.deviceId) found = found.where('restore_jobs.device_id', '=', wanted.deviceId)
    if (wanted.snapshotId) found = found.where('restore_jobs.snapshot_id', '=', wanted.snapshotId)
    if (wanted.status) found = found.where('restore_jobs.status', '=', wanted.status)
    if (wanted.from) found = found.where('restore_jobs.created_at', '>=', wanted.from)
    if (wanted.to) found = found.where('restore_jobs.created_at', '<=', wanted.to)
    const { page, limit } = wanted
    const total = db.one(
      found.clearSelect().select((select) => select.fn.count<number>('restore_jobs.id').as('total')),
    ).total
    const newest = found.orderBy('restore_jobs.created_at', 'desc').orderBy('restore_jobs.id', 'desc')
    const rows = db.all(newest.limit(limit).offset((page - 1) * limit))
    return { data: rows.map((row) => ledger.view(row)), pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string, named: string | undefined): { data: RestoreJob } {
    const { db, devices, ledger } = this.#services
    let found = restoreRows()
      .where('restore_jobs.id', '=', id)
      .where(withinReach({ ...actor, sites: null }, 'restore_jobs'))
    if (named) found = found.where('restore_jobs.org_id', '=', named)
    const row = db.first(found)
    if (!row) throw new AppError('restore_not_found')
    // Another site’s is forbidden, as the device itself.
    if (actor.sites !== null) devices.find(actor, row.device_id)
    return { data: ledger.view(row) }
  }

  /** One that waits is never sent; one that runs is told to stop. What is written already stays. */
  cancel(actor: UserActor, id: string, named: string | undefined): ReplyOf<typeof cancelRestore> {
    const { db, ledger, devices, audit, dispatch } = this.#services
    const before = db.transaction(() => {
      const row = restoreById(db, id)
      if (!row || (named !== undefined && row.org_id !== named)) throw new AppError('restore_not_found')
      operableOrganization(db, actor, row.org_id, 'restore_not_found')
      const device = devices.find(actor, row.device_id)
      if (row.status !== 'pending' && row.status !== 'running') throw new AppError('restore_finished')
      ledger.giveUp(row, 'cancelled')
      audit(actor, {
        action: 'backup.restore.cancel',
        resourceType: 'restore_job',
        resourceId: row.id,
        resourceName: device.display_name ?? device.hostname,
        orgId: row.org_id,
        details: { deviceId: row.device_id, stopQueued: row.status === 'running' },
      })
      return row
    })
    const isTold = before.status === 'pending' || dispatch.stop(before.device_id, id)
    const warning = 'The device could not be told to stop: it has no connection now.'
    return { data: this.#view(id), ...(!isTold && { warning }) }
  }

  areRunningFrom(repositoryId: string): boolean {
    const running = q
      .selectFrom('restore_jobs')
      .innerJoin('backup_snapshots', 'backup_snapshots.id', 'restore_jobs.snapshot_id')
      .select('restore_jobs.id')
      .where('repository_id', '=', repositoryId)
      .where('restore_jobs.vault_id', 'is', null)
      .where('status', '=', 'running')
    return this.#services.db.first(running.limit(1)) !== undefined
  }

  /** Joins the transaction that takes the device away. */
  cancelOpen(deviceId: string): void {
    const { db, ledger, dispatch } = this.#services
    const open = q.selectFrom('restore_jobs').select(['id', 'status']).where('device_id', '=', deviceId)
    for (const row of db.all(open.where('status', 'in', openStatuses))) {
      ledger.finish(row, 'cancelled')
      if (row.status === 'running') db.afterCommit(() => dispatch.stop(deviceId, row.id))
    }
  }

  /** Everything that a refusal may be about, but for the files: nothing is looked up for somebody who may not. */
  #authorize(actor: UserActor, wanted: Wish, named: string | undefined): Source {
    const { db, sources } = this.#services
    // Found without the reach, so that a frozen organization says so.
    operableOrganization(db, actor, sources.organizationOf(wanted.snapshotId), 'backup_snapshot_not_found')
    const source = sources.find(actor, wanted, named)
    const target = targetOf({ targetPath: wanted.targetPath, inPlace: wanted.inPlace }, source.device.os_type)
    if (target.to === 'original') sources.assertSameFolders(source.snapshot, source.device)
    if (source.device.status === 'offline' || source.device.status === 'pending')
      throw new AppError('restore_device_offline')
    if (source.device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
    if (source.device.status === 'quarantined') throw new AppError('device_quarantined')
    sources.assertStorage(source.snapshot, source.device, wanted.vaultId)
    if (wanted.restoreType === 'selective' && !wanted.selectedPaths?.length)
      throw new AppError('restore_paths_required')
    return source
  }

  #insert(
    actor: UserActor,
    wanted: Wish,
    named: string | undefined,
    expected: { files: number; bytes: number } | null,
  ): string {
    const { db, clock, audit, dispatch, ledger } = this.#services
    const { snapshot, device } = this.#authorize(actor, wanted, named)
    const id = randomUUIDv7()
    const now = isoNow(clock)
    const selected = wanted.restoreType === 'selective' ? (wanted.selectedPaths ?? []) : []
    db.run(
      q.insertInto('restore_jobs').values({
        id,
        org_id: snapshot.org_id,
        snapshot_id: snapshot.id,
        snapshot_taken_at: snapshot.timestamp,
        device_id: device.id,
        vault_id: wanted.vaultId ?? null,
        restore_type: wanted.restoreType,
        selected_paths: toJson(selected),
        target_path: wanted.targetPath?.trim() || null,
        in_place: wanted.inPlace ? 1 : 0,
        existing_files: wanted.existing,
        expected_files: expected?.files ?? null,
        expected_bytes: expected?.bytes ?? null,
        initiated_by: actor.userId,
        created_at: now,
        updated_at: now,
      }),
    )
    dispatch.pushes.soon(device.id)
    ledger.announce(id)
    audit(actor, {
      action: 'backup.restore.create',
      resourceType: 'restore_job',
      resourceId: id,
      resourceName: device.display_name ?? device.hostname,
      orgId: snapshot.org_id,
      details: {
        snapshotId: snapshot.id,
        deviceId: device.id,
        sourceDeviceId: snapshot.device_id,
        restoreType: wanted.restoreType,
        paths: selected.length,
        inPlace: wanted.inPlace,
        existing: wanted.existing,
        ...(wanted.vaultId && { vaultId: wanted.vaultId }),
      },
    })
    return id
  }

  #view(id: string): RestoreJob {
    const { db, ledger } = this.#services
    return ledger.view(restoreById(db, id) as RestoreRow)
  }
}
