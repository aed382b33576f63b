import pLimit from 'p-limit'
import type { Vault } from '../../../shared/api/backup-vaults.ts'
import { type VaultSyncPayload, vaultSyncResult } from '../../../shared/device/backup-vaults.ts'
import { CopyAbsent, whileThere } from '../../../shared/node/copy-medium.ts'
import { removeHalfMade } from '../../../shared/node/half-made-copy.ts'
import { bringUpToDate, type CopyOutcome, type CopyProgress, type CopyWish } from '../../../shared/node/restic-copy.ts'
import type { RunThere } from '../../../shared/node/restic-maintenance.ts'
import { addPassword, removePassword } from '../../../shared/node/restic-passwords.ts'
import type { ResticListeners } from '../../../shared/node/restic-run.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow, minute } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { Signal } from '../../platform/signal.ts'
import type { TaskQueue, Tasks } from '../../platform/tasks/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { DeviceCall, RepositoryWork } from '../backup-maintenance/index.ts'
import {
  type BackupConfigs,
  type Repositories,
  type RepositoryLocks,
  type RepositoryRow,
  withoutSecretsOf,
} from '../backup-storage/index.ts'
import { copyPlaceOf, folderIn } from './copy-place.ts'
import { activeVault, vaultById } from './store.ts'
import type { CopyRow, VaultCopies, VaultRow } from './vault-copies.ts'

interface RunServices extends RepositoryWork {
  db: Database
  clock: Clock
  log: Log
  tasks: Tasks
  copies: VaultCopies
  configs: BackupConfigs
  repositories: Repositories
  locks: RepositoryLocks
  restic: ApplianceRestic
  /** Private; for secrets while restic runs. */
  resticFolder: string
  dataDir: string
}

interface Input {
  vaultId: string
}

type Progress = NonNullable<Vault['progress']>

/** What becomes of one try. */
type End = { waitsFor: NonNullable<Vault['waitingFor']>; reason: string } | { error: string } | 'busy' | 'done'

/** Copying reads and writes as much as the disks give. */
const hereAtOnce = 1
const vaultsAtOnce = 8

/** Syncs of second copies, one of a vault at a time. Whatever one is cut off in, the next goes on. */
export class VaultRuns {
  /** What was late or damaged may no longer be. */
  readonly ended = new Signal<{ vaultId: string; signal: AbortSignal }>()
  readonly #services: RunServices
  readonly #queue: TaskQueue<Input>
  readonly #turns = pLimit(hereAtOnce)
  readonly #underWay = new Set<string>()
  readonly #progress = new Map<string, Progress>()
  readonly #heardAt = new Map<string, number>()

  constructor(services: RunServices) {
    this.#services = services
    this.#queue = services.tasks.register<Input>({
      name: 'backup.sync-copy',
      description: 'Brings a second copy of backups up to date',
      concurrency: vaultsAtOnce,
      attempts: 1,
      keepMs: 0,
      run: async ({ input: { vaultId } }, { signal }) => {
        this.#underWay.add(vaultId)
        try {
          await this.#run(vaultId, signal)
        } finally {
          this.#underWay.delete(vaultId)
        }
      },
    })
  }

  /** Joins the transaction under way. One that waits or runs already does this as well. */
  syncSoon(vault: VaultRow): void {
    const { clock, tasks } = this.#services
    const id = taskOf(vault.id)
    if (!tasks.isOpen(id)) {
      const pending = { last_sync_status: 'pending', waiting_for: null, waiting_since: null } as const
      this.#change(vault.id, { ...pending, heard_at: isoNow(clock) })
    }
    this.#queue.add({ id, input: { vaultId: vault.id }, orgId: vault.org_id })
  }

  /** It waits for others, which is no silence. */
  isQueued(vaultId: string): boolean {
    return this.#services.tasks.isOpen(taskOf(vaultId)) && !this.#underWay.has(vaultId)
  }

  progressOf(vaultId: string): Progress | null {
    return this.#progress.get(vaultId) ?? null
  }

  /** Joins the transaction under way. */
  stop(vaultId: string): void {
    this.#services.tasks.cancel(taskOf(vaultId))
  }

  /** Joins the transaction under way. */
  waitFor(vault: VaultRow, what: NonNullable<Vault['waitingFor']>): void {
    if (vault.waiting_for === what) return
    const since = vault.waiting_since ?? isoNow(this.#services.clock)
    this.#change(vault.id, { last_sync_status: 'pending', waiting_for: what, waiting_since: since })
  }

  async #run(vaultId: string, signal: AbortSignal): Promise<void> {
    const { db, clock, copies } = this.#services
    const vault = activeVault(db, vaultId)
    if (!vault) return
    const now = isoNow(clock)
    this.#change(vaultId, { last_sync_status: 'running', begun_at: now, heard_at: now, waiting_for: null })
    const isWanted = vault.requested_at !== null
    const due: CopyRow[] = []
    await copies.lookAtAll(vault, signal, (copy) => {
      if (isWanted || copy.missing > 0 || copy.error !== null || this.#isKeyDue(copy)) due.push(copy)
    })
    const ends: End[] = []
    try {
      for (const { id } of due) {
        signal.throwIfAborted()
        const end = await this.#syncOne(vault, id, signal)
        ends.push(end)
        // The others lie on the same disk.
        if (typeof end === 'object' && 'waitsFor' in end) break
      }
      if (isWanted && due.length === 0) ends.push({ error: 'There is no backup to copy yet' })
    } finally {
      this.#progress.delete(vaultId)
      this.#heardAt.delete(vaultId)
    }
    db.transaction(() => this.#finish(vault, ends))
    this.ended.say({ vaultId, signal })
  }

  async #syncOne(vault: VaultRow, copyId: string, signal: AbortSignal): Promise<End> {
    const { copies, repositories, locks, maintenance } = this.#services
    const before = copies.find(copyId)
    const source = before && repositories.find(before.repository_id)
    const place = source ? maintenance.placeOf(source) : null
    if (!before || !source || place === null) return 'done'
    if (this.#isRestoredFrom(vault.id)) return 'busy'
    const reading = locks.read(source.id)
    if (!reading) return 'busy'
    try {
      const next = copies.beginKeyChange(before)
      const copy = copies.find(copyId) as CopyRow
      const wish = copies.wishFor(vault, copy, vault.requested_snapshot_id)
      const passwords = this.#passwords(copy, next)
      const work = { vault, copy, source, wish, passwords, signal }
      const outcome =
        vault.place === 'device'
          ? await this.#onDevice(work)
          : await this.#inTurn(vault.id, () => this.#onAppliance(work))
      const { damage = null, error = null } = copies.save(vault, copy, wish, outcome) ?? {}
      if (damage !== null) return { error: `Damaged data was found: ${damage}` }
      return error === null ? 'done' : { error }
    } catch (error) {
      if (signal.aborted) throw error
      return this.#endOf(error, { vault, source, copy: before })
    } finally {
      reading.release()
    }
  }

  /** What becomes of a copy that could not be made. One that waits still has the error it had before. */
  #endOf(error: unknown, { vault, source, copy }: Pick<Work, 'vault' | 'source' | 'copy'>): End {
    const { copies, log } = this.#services
    if (error instanceof CopyAbsent) {
      if (error.wasThere) copies.noteBegun(copy)
      return { waitsFor: 'medium', reason: error.message }
    }
    if (error instanceof DeviceAway) return { waitsFor: 'device', reason: error.message }
    const reason = this.#reasonOf(error, vault, source)
    log.warn({ err: error, vaultId: vault.id, repositoryId: source.id }, 'A second copy could not be made')
    copies.fail(copy, reason)
    return { error: reason }
  }

  #onAppliance(work: Work): Promise<CopyOutcome> {
    const { vault, copy, signal } = work
    if (vault.place !== 'appliance') return this.#here(work, null)
    const { copies, dataDir } = this.#services
    const medium = {
      ...{ path: vault.vault_path, type: vault.vault_type, folder: copy.folder },
      ...{ ownFolder: dataDir, others: copies.foldersBeside(copy) },
    }
    return whileThere(medium, signal, (whileIn) => this.#here({ ...work, signal: whileIn }, folderIn(vault, copy)))
  }

  /** @param folder where the copy lies, unless that is in other storage */
  async #here({ vault, copy, source, wish, passwords, signal }: Work, folder: string | null): Promise<CopyOutcome> {
    const { restic, resticFolder } = this.#services
    const open = await restic.openCopy(source.id, copyPlaceOf(vault, copy))
    const bound = (run: ReturnType<typeof open.copyWith>): RunThere => {
      return (args, listeners) => run(args, signal, this.#hearing(vault.id, listeners))
    }
    const own = bound(open.copyWith(passwords.own))
    if (passwords.former !== null)
      await removePassword({ withOld: bound(open.copyWith(passwords.former)), withNew: own, onlyHost: null })
    const outcome = await bringUpToDate(
      {
        source: bound(open.source),
        copy: own,
        both: bound(open.bothWith(passwords.own)),
        ...(folder !== null && { removeHalfMade: () => removeHalfMade(folder) }),
      },
      wish,
      (progress) => this.#heard(vault.id, progress),
    )
    if (passwords.next !== null)
      await addPassword(
        { withOld: own, withNew: bound(open.copyWith(passwords.next)), onlyHost: null },
        passwords.next,
        resticFolder,
      )
    return outcome
  }

  async #onDevice({ vault, copy, source, wish, passwords, signal }: Work): Promise<CopyOutcome> {
    const { copies, onDevices } = this.#services
    const others = copies.foldersBeside(copy)
    if (!onDevices.isReachable(source)) throw new DeviceAway('The device is offline')
    const call: DeviceCall<ReturnType<typeof vaultSyncResult.parse>> = {
      type: 'vault_sync',
      isReading: true,
      outcome: vaultSyncResult,
      payloadWith: (engine): VaultSyncPayload => ({
        vaultId: vault.id,
        vaultPath: vault.vault_path,
        vaultType: vault.vault_type,
        folder: copy.folder,
        others,
        password: passwords.own,
        ...(passwords.next !== null && { newPassword: passwords.next }),
        ...(passwords.former !== null && { formerPassword: passwords.former }),
        wish,
        engine,
      }),
      onProgress: (sent) => this.#heard(vault.id, progressIn(sent)),
    }
    const { absent, isBegun, outcome } = await unlessAborted(onDevices.run(source, call, signal), signal)
    if (outcome === null) throw new CopyAbsent(absent ?? 'The device did not say what it has done', isBegun)
    return outcome
  }

  /** Waiting for others is no silence. */
  #inTurn<Value>(vaultId: string, work: () => Promise<Value>): Promise<Value> {
    const waiting = setInterval(() => this.#heard(vaultId, null), minute)
    return this.#turns(() => {
      clearInterval(waiting)
      return work()
    })
  }

  /** Whatever restic says shows that it goes on, also while it checks or tidies up. */
  #hearing(vaultId: string, { onText, onJson, ...others }: ResticListeners = {}): ResticListeners {
    return {
      ...others,
      onText: (line) => {
        this.#heard(vaultId, null)
        onText?.(line)
      },
      onJson: (value) => {
        this.#heard(vaultId, null)
        onJson?.(value)
      },
    }
  }

  #heard(vaultId: string, progress: CopyProgress | null): void {
    const { db, clock } = this.#services
    if (progress) this.#progress.set(vaultId, progress)
    if (clock.now() - (this.#heardAt.get(vaultId) ?? 0) < minute) return
    this.#heardAt.set(vaultId, clock.now())
    db.run(
      q
        .updateTable('backup_vaults')
        .set({ heard_at: isoNow(clock) })
        .where('id', '=', vaultId),
    )
  }

  /** What somebody has asked for meanwhile, or another backup has brought, is for the next run. */
  #finish(vault: VaultRow, ends: readonly End[]): void {
    const { db, clock, copies } = this.#services
    const now = vaultById(db, vault.id)
    if (now?.last_sync_status !== 'running') return
    const errors = ends.flatMap((end) => (typeof end === 'object' && 'error' in end ? [end.error] : []))
    const waiting = ends.find((end) => typeof end === 'object' && 'waitsFor' in end)
    const isAnswered = now.requested_at === vault.requested_at && !ends.includes('busy')
    if (waiting && typeof waiting === 'object' && 'waitsFor' in waiting) {
      this.#change(vault.id, {
        ...{ last_sync_status: 'pending', waiting_for: waiting.waitsFor },
        waiting_since: now.waiting_since ?? isoNow(clock),
      })
      return
    }
    if (ends.includes('busy') && errors.length === 0) {
      this.#change(vault.id, { last_sync_status: 'pending', heard_at: isoNow(clock), waiting_since: null })
      return
    }
    const [first] = errors
    const newest = this.#newestIn(copies.of(vault.id).map(({ id }) => id))
    this.#change(vault.id, {
      last_sync_status: first === undefined ? 'completed' : 'failed',
      last_sync_error:
        first === undefined ? null : errors.length > 1 ? `${first} (and ${errors.length - 1} more)` : first,
      ...(first === undefined && { last_sync_at: isoNow(clock) }),
      ...(newest && { last_sync_snapshot_id: newest }),
      ...(isAnswered && { requested_at: null, requested_snapshot_id: null }),
      waiting_for: null,
      waiting_since: null,
    })
  }

  #newestIn(copyIds: readonly string[]): string | undefined {
    if (copyIds.length === 0) return undefined
    const all = q.selectFrom('backup_vault_snapshots').select('snapshot_id').where('vault_repository_id', 'in', copyIds)
    return this.#services.db.first(all.orderBy('taken_at', 'desc').limit(1))?.snapshot_id
  }

  /** What goes would be missing there. */
  #isRestoredFrom(vaultId: string): boolean {
    const running = q.selectFrom('restore_jobs').select('id').where('vault_id', '=', vaultId)
    return this.#services.db.first(running.where('status', '=', 'running').limit(1)) !== undefined
  }

  #isKeyDue({ key_id, state, former_key_id }: CopyRow): boolean {
    if (state === 'new') return false
    if (former_key_id !== null) return true
    const own = q.selectFrom('storage_encryption_keys').select('is_active').where('id', '=', key_id)
    return this.#services.db.first(own)?.is_active === 0
  }

  #passwords(copy: CopyRow, next: string | null): Passwords {
    const { repositories } = this.#services
    const of = (keyId: string) => repositories.passwordOf({ key_id: keyId, sub_path: copy.folder })
    return {
      own: of(copy.key_id),
      next: next === null ? null : of(next),
      former: copy.former_key_id === null ? null : of(copy.former_key_id),
    }
  }

  #reasonOf(error: unknown, { config_id }: VaultRow, source: RepositoryRow): string {
    const { maintenance, configs } = this.#services
    const reason = maintenance.reasonOf(error, source)
    return withoutSecretsOf((config_id && configs.open(config_id)?.details) || {}, reason)
  }

  #change(id: string, change: object): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_vaults')
        .set({ ...change, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
  }
}

interface Passwords {
  own: string
  next: string | null
  former: string | null
}

interface Work {
  vault: VaultRow
  copy: CopyRow
  source: RepositoryRow
  wish: CopyWish
  passwords: Passwords
  signal: AbortSignal
}

/** The device is told to end, and takes its time for it. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const giveUp = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  work.catch(() => {})
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', giveUp))
}

class DeviceAway extends Error {
  override name = 'DeviceAway'
}

const taskOf = (vaultId: string): string => `vault-sync-${vaultId}`

function progressIn(sent: unknown): CopyProgress | null {
  const { done, total, percent }: { done?: unknown; total?: unknown; percent?: unknown } = Object(sent)
  if (typeof done !== 'number' || typeof total !== 'number') return null
  return { done, total, percent: typeof percent === 'number' ? percent : null }
}
