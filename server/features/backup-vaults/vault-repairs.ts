import { hostname } from 'node:os'
import { join } from 'node:path'
import type { repairFromVault } from '../../../shared/api/backup-vaults.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { absenceOf } from '../../../shared/node/copy-medium.ts'
import type { RunThere } from '../../../shared/node/restic-maintenance.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { systemActor, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { Signal } from '../../platform/signal.ts'
import { TaskFailure, type TaskQueue, type Tasks } from '../../platform/tasks/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import { type BackupSnapshots, listedIn } from '../backup-snapshots/index.ts'
import type { Repositories, RepositoryLocks } from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import type { Devices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { copyPlaceOf } from './copy-place.ts'
import { type RepairOutcome, repairRepository } from './repair-repository.ts'
import { vaultById } from './store.ts'
import type { RepairState } from './tables.ts'
import type { CopyRow, VaultCopies, VaultRow } from './vault-copies.ts'
import type { Vaults } from './vaults.ts'

interface RepairServices extends RepositoryWork, Pick<BackupSnapshots, 'snapshots' | 'listings'> {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  tasks: Tasks
  store: Pick<BackupStore, 'pathOf' | 'measure'>
  repositories: Repositories
  locks: RepositoryLocks
  restic: ApplianceRestic
  copies: VaultCopies
  vaults: Vaults
  devices: Pick<Devices, 'findOperable'>
  index: SnapshotIndex
  dataDir: string
}

interface Input {
  copyId: string
  userId: string
}

/** Damaged backups in the store of the appliance, put back from a second copy. */
export class VaultRepairs {
  /** Whether nothing is left is to be found out anew; said in the transaction. */
  readonly repaired = new Signal<{ repositoryId: string }>()
  readonly #services: RepairServices
  readonly #queue: TaskQueue<Input>

  constructor(services: RepairServices) {
    this.#services = services
    this.#queue = services.tasks.register<Input>({
      name: 'backup.repair',
      description: 'Puts back damaged data of a backup repository from a second copy',
      concurrency: 1,
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      run: ({ input }, { signal }) => this.#run(input, signal),
      onFailed: ({ input }, reason) => this.#note(input.copyId, { status: 'failed', error: reason, outcome: null }),
    })
  }

  /** @throws AppError `backup_vault_not_found`, `backup_repair_out_of_reach`, `backup_repair_nothing` */
  start(
    actor: UserActor,
    id: string,
    { deviceId }: BodyOf<typeof repairFromVault>,
    named: string | undefined,
  ): ReplyOf<typeof repairFromVault> {
    const { db, audit, copies, repositories, maintenance, vaults, devices } = this.#services
    return db.transaction(() => {
      const vault = vaults.findToWrite(actor, id, named)
      devices.findOperable(actor, deviceId)
      if (vault.place === 'device') throw new AppError('backup_repair_out_of_reach')
      const ready = copies.of(vault.id).filter((copy) => copy.device_id === deviceId && copy.state === 'ready')
      const inStore = ready.filter(({ repository_id }) => {
        const source = repositories.find(repository_id)
        return source !== undefined && maintenance.placeOf(source) === 'store'
      })
      if (ready.length === 0) throw new AppError('backup_repair_nothing')
      if (inStore.length === 0) throw new AppError('backup_repair_out_of_reach')
      for (const copy of inStore) {
        this.#note(copy.id, { status: 'pending', error: null, outcome: null })
        const input = { copyId: copy.id, userId: actor.userId }
        this.#queue.add({ id: taskOf(copy.id), input, orgId: copy.org_id, requestedBy: actor.userId })
      }
      audit(actor, {
        action: 'backup.vault.repair',
        resourceType: 'backup_vault',
        resourceId: vault.id,
        resourceName: vault.name,
        orgId: vault.org_id,
        details: { deviceId },
      })
      return { id: vault.id, status: 'pending', deviceId }
    })
  }

  async #run({ copyId }: Input, signal: AbortSignal): Promise<void> {
    const { db, copies, repositories, locks, store, log, maintenance } = this.#services
    const copy = copies.find(copyId)
    const vault = copy && vaultById(db, copy.vault_id)
    const source = copy && repositories.find(copy.repository_id)
    if (!vault || !source) return
    const lock = locks.take(source.id)
    if (!lock) throw new TaskFailure('A backup or restore is at work there; it is tried again')
    try {
      this.#note(copyId, { status: 'running', error: null, outcome: null })
      const outcome = await this.#repair(vault, copy, AbortSignal.any([signal, lock.signal]))
      await store.measure(source.id)
      this.#done(vault, copy, outcome)
    } catch (error) {
      if (signal.aborted) throw error
      if (lock.signal.aborted) throw new TaskFailure('A restore came in between; it is tried again')
      log.warn({ err: error, vaultId: vault.id, repositoryId: source.id }, 'A repository could not be repaired')
      const reason = maintenance.reasonOf(error, source)
      throw new TaskFailure(reason, { isFinal: true, cause: error })
    } finally {
      lock.release()
    }
  }

  async #repair(vault: VaultRow, copy: CopyRow, signal: AbortSignal): Promise<RepairOutcome> {
    const { restic, repositories, store, copies, dataDir } = this.#services
    const absent = vault.place === 'appliance' ? await absenceOf(vault.vault_path, vault.vault_type, dataDir) : null
    if (absent !== null) throw new AppError('backup_vault_unreadable', { reason: absent })
    const open = await restic.openCopy(copy.repository_id, copyPlaceOf(vault, copy))
    const password = repositories.passwordOf({ key_id: copy.key_id, sub_path: copy.folder })
    const bound = (run: typeof open.source): RunThere => {
      return (args, listeners) => run(args, signal, listeners)
    }
    return repairRepository(
      {
        repository: bound(open.source),
        copy: bound(open.copyWith(password)),
        back: bound(open.backWith(password)),
        folder: store.pathOf(copy.repository_id),
        aside: join(dataDir, 'backups', '.repair', copy.repository_id),
        onlyHost: hostname(),
      },
      { pairs: copies.pairsIn(copy.id), wanted: new Set(listedIn(this.#services.db, copy.repository_id)) },
    )
  }

  #done(vault: VaultRow, copy: CopyRow, outcome: RepairOutcome): void {
    const { db, audit } = this.#services
    const status = outcome.left === null ? 'completed' : 'failed'
    const { damaged, snapshots, renamed } = outcome
    db.transaction(() => {
      const error = outcome.left === null ? null : somethingLeft
      this.#note(copy.id, { status, error, outcome: { damaged, snapshots } })
      for (const [lost, newId] of renamed) this.#rename(copy.repository_id, lost, newId)
      this.repaired.say({ repositoryId: copy.repository_id })
      audit(systemActor('backup.repair'), {
        action: 'backup.vault.repair',
        resourceType: 'backup_vault',
        resourceId: vault.id,
        resourceName: vault.name,
        orgId: copy.org_id,
        details: { deviceId: copy.device_id, damaged, snapshots, status },
        result: status === 'completed' ? 'success' : 'failure',
      })
    })
  }

  /** Joins the transaction under way. */
  #rename(repositoryId: string, lost: string, newId: string): void {
    const { db, log, snapshots, listings, copies, index } = this.#services
    const snapshot = snapshots.rename(repositoryId, lost, newId)
    copies.rename(repositoryId, lost, newId)
    if (!snapshot) return
    listings.listSoon(snapshot)
    db.afterCommit(() => {
      index
        .remove(repositoryId, [lost])
        .catch((err) => log.warn({ err, repositoryId }, 'The files of a snapshot are still listed under its former id'))
    })
  }

  #note(copyId: string, state: Omit<RepairState, 'at'>): void {
    const { db, clock } = this.#services
    const at = isoNow(clock)
    db.run(
      q
        .updateTable('backup_vault_repositories')
        .set({ repair: toJson({ ...state, at }), updated_at: at })
        .where('id', '=', copyId),
    )
  }
}

const somethingLeft =
  'Some of the backups are still damaged: the second copy does not have them. Newer backups are not concerned'

const taskOf = (copyId: string): string => `vault-repair-${copyId}`
