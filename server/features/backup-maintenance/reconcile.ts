import type {
  ReconcileFinding,
  ReconcileResult,
  ReconcileState,
  startReconcile,
} from '../../../shared/api/backup-maintenance.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { StoredSnapshot } from '../../../shared/node/restic-maintenance.ts'
import { q } from '../../db/query.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import { day, hour, iso } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { type Task, type TaskContext, TaskFailure, type TaskQueue, type Tasks } from '../../platform/tasks/index.ts'
import { backupOrganization, type RepositoryRow } from '../backup-storage/index.ts'
import { frozenBecause, operableOrganization } from '../organization-access/index.ts'
import { type ComparisonServices, RepositoryBusy, RepositoryComparison } from './repository-comparison.ts'
import type { RepositoryMaintenance } from './repository-maintenance.ts'

interface ReconcileServices extends ComparisonServices {
  log: Log
  tasks: Tasks
  maintenance: RepositoryMaintenance
}

interface Input {
  orgId: string
  isConfirmed: boolean
  /** Null for all that is found. */
  ids: readonly string[] | null
  unknown: 'adopt' | 'delete'
}

interface Progress {
  done: number
  total: number
}

type ReconcileTask = Task<Input, Progress, ReconcileResult>
type Named = RepositoryRow & { deviceName: string }

/** An organization has one, and sees the last. */
const idOf = (orgId: string) => `backup.reconcile:${orgId}`
const maxFindings = 1000

/** Whether what is listed is what lies in storage, for all repositories of an organization. */
export class Reconcile {
  readonly #services: ReconcileServices
  readonly #comparison: RepositoryComparison
  readonly #queue: TaskQueue<Input, Progress, ReconcileResult>

  constructor(services: ReconcileServices) {
    this.#services = services
    this.#comparison = new RepositoryComparison(services)
    this.#queue = services.tasks.register<Input, Progress, ReconcileResult>({
      name: 'backup.reconcile',
      description: 'Compares the snapshots that are listed with those in storage',
      concurrency: 1,
      attempts: 1,
      attemptMs: 12 * hour,
      keepMs: 7 * day,
      byHand: ['cancel'],
      amountOf: (progress) => progress,
      run: (task, context) => this.#run(task.input, context),
    })
  }

  start(actor: UserActor, wanted: BodyOf<typeof startReconcile>, named: string | undefined): { data: ReconcileState } {
    const { db, audit } = this.#services
    const orgId = backupOrganization(db, actor, named)
    return db.transaction(() => {
      const org = operableOrganization(db, actor, orgId, 'backup_org_required')
      if (isConfined(actor)) throw new AppError('permission_denied')
      const { confirm = false, ids = null, unknown = 'adopt' } = wanted
      const input: Input = { orgId, isConfirmed: confirm, ids, unknown }
      const task = { id: idOf(orgId), orgId, requestedBy: actor.userId, input }
      if (this.#queue.add(task) === null) throw new AppError('backup_reconcile_running')
      audit(actor, {
        action: 'backup.reconcile',
        resourceType: 'organization',
        resourceId: org.id,
        resourceName: org.name,
        orgId,
        details: { confirm, ...(confirm && { unknown, snapshots: ids?.length ?? 'all' }) },
      })
      return { data: stateOf(this.#queue.find(idOf(orgId)) as ReconcileTask) }
    })
  }

  /** Of the whole organization, so nothing for somebody who sees a part of it. */
  last(actor: UserActor, named: string | undefined): { data: ReconcileState | null } {
    const orgId = backupOrganization(this.#services.db, actor, named)
    const task = this.#queue.find(idOf(orgId))
    return { data: task && !isConfined(actor) ? stateOf(task) : null }
  }

  async #run(input: Input, { signal, progress }: TaskContext<Progress>): Promise<ReconcileResult> {
    const result: ReconcileResult = { repositories: 0, unreachable: [], findings: [], adopted: 0, removed: 0 }
    const repositories = this.#repositoriesOf(input.orgId)
    for (const [done, repository] of repositories.entries()) {
      signal.throwIfAborted()
      progress({ done, total: repositories.length })
      try {
        if (this.#services.maintenance.placeOf(repository) === 'device') throw new AppError('backup_out_of_reach')
        await this.#reconcile(repository, input, result, signal)
        result.repositories++
      } catch (error) {
        if (signal.aborted) throw error
        const { device_id: deviceId, deviceName } = repository
        result.unreachable.push({ deviceId, deviceName, reason: this.#reasonOf(error, repository) })
      }
    }
    return result
  }

  async #reconcile(repository: Named, input: Input, result: ReconcileResult, signal: AbortSignal): Promise<void> {
    const { missing, unknown } = await this.#comparison.compare(repository, signal)
    const isWanted = (id: string) => input.isConfirmed && (input.ids?.includes(id) ?? true)
    const note = (finding: Pick<ReconcileFinding, 'kind' | 'id' | 'takenAt' | 'isProtected'>) => {
      const { device_id: deviceId, config_id: configId, deviceName } = repository
      if (result.findings.length < maxFindings) result.findings.push({ ...finding, deviceId, deviceName, configId })
    }
    this.#assertNotFrozen(repository)
    for (const row of missing) {
      if (isWanted(row.id) && this.#comparison.unlist(row.id)) result.removed++
      else note({ kind: 'missing', id: row.id, takenAt: row.timestamp, isProtected: this.#comparison.isProtected(row) })
    }
    const wanted = unknown.filter(({ id }) => isWanted(id))
    for (const one of unknown)
      if (!wanted.includes(one)) note({ kind: 'unknown', id: one.id, takenAt: iso(one.time), isProtected: false })
    if (wanted.length > 0) await this.#handle(repository, wanted, input, result, signal)
  }

  async #handle(
    repository: Named,
    unknown: readonly StoredSnapshot[],
    input: Input,
    result: ReconcileResult,
    signal: AbortSignal,
  ): Promise<void> {
    if (input.unknown === 'delete') {
      await this.#comparison.remove(repository, unknown, signal)
      result.removed += unknown.length
      return
    }
    for (const one of unknown) {
      this.#assertNotFrozen(repository)
      await this.#comparison.adopt(repository, one, signal)
      result.adopted++
    }
  }

  /** It may have been archived, or begun to be merged, since this was asked for. */
  #assertNotFrozen({ org_id }: RepositoryRow): void {
    const { db } = this.#services
    const org = db.first(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', org_id))
    if (!org || frozenBecause(db, org) !== null) throw new TaskFailure('The organization can no longer be changed')
  }

  #repositoriesOf(orgId: string): Named[] {
    const rows = this.#services.db.all(
      q
        .selectFrom('backup_repositories')
        .innerJoin('devices', 'devices.id', 'backup_repositories.device_id')
        .selectAll('backup_repositories')
        .select(['devices.display_name', 'devices.hostname'])
        .where('backup_repositories.org_id', '=', orgId)
        .where('state', '<>', 'new')
        .orderBy('backup_repositories.id'),
    )
    return rows.map(({ display_name, hostname, ...row }) => ({ ...row, deviceName: display_name ?? hostname }))
  }

  #reasonOf(error: unknown, repository: RepositoryRow): string {
    const { maintenance, log } = this.#services
    if (error instanceof RepositoryBusy) return 'It is being maintained or backed up to. Try again later'
    if (error instanceof TaskFailure) return error.message
    log.warn({ err: error, repositoryId: repository.id }, 'A repository could not be compared')
    return maintenance.reasonOf(error, repository)
  }
}

function stateOf({ id, state, input, progress, result, error, ...task }: ReconcileTask): ReconcileState {
  const isOver = state === 'completed' || state === 'failed' || state === 'expired' || state === 'cancelled'
  return {
    taskId: id,
    state: state === 'completed' ? 'completed' : isOver ? 'failed' : 'running',
    isConfirmed: input.isConfirmed,
    progress,
    result,
    error: state === 'cancelled' ? 'It was canceled' : error,
    startedAt: task.createdAt,
    finishedAt: task.finishedAt,
  }
}
