import type { listTasks, TaskView } from '../../../shared/api/system.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import type { ListedTask, Tasks } from '../../platform/tasks/index.ts'

/** What administrators of the appliance see of its background tasks and do with them. */
export class TaskList {
  readonly #db: Database
  readonly #audit: Audit
  readonly #tasks: Tasks

  constructor(db: Database, audit: Audit, tasks: Tasks) {
    this.#db = db
    this.#audit = audit
    this.#tasks = tasks
  }

  page({ page, limit, show = 'open' }: QueryOf<typeof listTasks>): ReplyOf<typeof listTasks> {
    const { tasks, counts } = this.#tasks.overview(show, limit, (page - 1) * limit)
    return { data: tasks.map(taskView), pagination: { page, limit, total: counts[show] }, counts }
  }

  /** @throws `task_not_found`, also where the task is not one that can be tried again. */
  retry(actor: UserActor, id: string): void {
    this.#db.transaction(() => {
      this.#record(actor, 'retry', id)
      this.#tasks.retry(id)
    })
  }

  /** @throws `task_not_found`, also where the task is not one that can be given up. */
  cancel(actor: UserActor, id: string): void {
    this.#db.transaction(() => {
      this.#record(actor, 'cancel', id)
      this.#tasks.cancel(id)
    })
  }

  #record(actor: UserActor, action: 'retry' | 'cancel', id: string): void {
    const task = this.#tasks.find(id)
    if (!task || !this.#tasks.actionsOn(id)?.includes(action)) throw new AppError('task_not_found')
    const details = { kind: task.kind, state: task.state }
    this.#audit(actor, { action: `platform_admin.tasks.${action}`, resourceType: 'task', resourceId: id, details })
  }
}

const taskView = (task: ListedTask): TaskView => ({
  id: task.id,
  kind: task.kind,
  description: task.description,
  state: task.state,
  attempts: task.attempts,
  progress: task.amount,
  error: task.error,
  createdAt: task.createdAt,
  startedAt: task.startedAt,
  finishedAt: task.finishedAt,
  nextAttemptAt: task.dueAt,
  actions: [...task.actions],
})
