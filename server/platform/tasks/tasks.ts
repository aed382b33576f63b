import type { Database } from '../../db/database.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, iso } from '../clock.ts'
import type { Log } from '../log.ts'
import { addTask } from './add.ts'
import { Endings } from './endings.ts'
import { TaskEngine } from './engine.ts'
import type { ByHand, Kind, NewTask } from './kind.ts'
import { actionsOn, type ListedTask, listed } from './listed.ts'
import { TaskLookups, type TaskPart } from './lookups.ts'
import { type RegisteredKind, registered } from './registered-kind.ts'
import { TaskStore } from './store.ts'
import { isOpen, type Task, type TaskRow, type TaskState, taskOf } from './task.ts'
import { type Watcher, Watchers } from './watchers.ts'

/** The tasks of one kind, for the feature that has registered it. */
export interface TaskQueue<Input, Progress = never, Result = void> {
  /**
   * Inside the transaction of the change that needs it; it is started once that is saved. Answers its id, or null when
   * there is one of that id which is not over.
   */
  add(task: NewTask<Input>): string | null
  find(id: string): Task<Input, Progress, Result> | undefined
  /** Those in one of these states, newest first. */
  list(states: readonly TaskState[], limit: number, offset: number): Task<Input, Progress, Result>[]
  counts(): Record<TaskState, number>
  /**
   * Forgets those that are not over or have failed, and whose input has these values, as in `{ 'data.orgId': id }`.
   * Joins the transaction under way.
   */
  removeWhere(values: Record<string, string>): void
  /** What waits is due at once, such as after what it failed of has changed. Joins the transaction under way. */
  hurry(): void
}

/**
 * Durable background work. Features register the kinds of it and add tasks inside their transactions; a task is started
 * after the commit, again after a failure and again after a crash. See docs/decisions/16-background-tasks.md.
 */
export class Tasks {
  readonly #db: Database
  readonly #clock: Clock
  readonly #store: TaskStore
  readonly #lookups: TaskLookups
  readonly #endings: Endings
  readonly #engine: TaskEngine
  readonly #watchers = new Watchers()
  readonly #kinds = new Map<string, RegisteredKind>()

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#store = new TaskStore(db, clock)
    this.#lookups = new TaskLookups(db)
    const onChange = this.#onChange
    this.#endings = new Endings({ db, clock, log, store: this.#store, onChange })
    const parts = { db, clock, log, store: this.#store, endings: this.#endings, kinds: this.#kinds, onChange }
    this.#engine = new TaskEngine(parts)
  }

  /** Calls the watchers of the task. */
  readonly #onChange = (id: string): void => this.#watchers.tell(id, () => this.find(id))

  /** Before `start`. */
  register<Input, Progress = never, Result = void>(
    kind: Kind<Input, Progress, Result>,
  ): TaskQueue<Input, Progress, Result> {
    if (this.#kinds.has(kind.name)) throw new Error(`There is a kind of task called ${kind.name} already`)
    this.#kinds.set(kind.name, registered(kind))
    return {
      add: (task) => {
        const id = addTask(this.#db, this.#clock, kind.name, task, kind.keyOf?.(task) ?? null)
        if (id !== null) this.#db.afterCommit(this.#engine.wake)
        return id
      },
      find: (id) => {
        const row = this.#lookups.find(id)
        return row?.kind === kind.name ? taskOf(row) : undefined
      },
      list: (states, limit, offset) =>
        this.#lookups.list(kind.name, states, limit, offset).map((row) => taskOf<Input, Progress, Result>(row)),
      counts: () => this.#lookups.counts(kind.name),
      removeWhere: (values) => {
        for (const { id } of this.#lookups.unfinishedWhere(kind.name, values)) this.remove(id)
      },
      hurry: () => {
        this.#store.hurry(kind.name)
        this.#db.afterCommit(this.#engine.wake)
      },
    }
  }

  start(): void {
    this.#engine.start()
  }

  /** Puts back tasks that do not end soon; they continue with the next start. */
  stop(): Promise<void> {
    return this.#engine.stop()
  }

  /** Looks for what is due, which another process may have added. */
  readonly wake = (): void => this.#engine.wake()

  find(id: string): Task | undefined {
    const row = this.#lookups.find(id)
    return row && taskOf(row)
  }

  /** Whether there is a task of that id which is not over. */
  isOpen(id: string): boolean {
    const row = this.#lookups.find(id)
    return row !== undefined && isOpen(row)
  }

  /** Calls `watcher` with every change of the task until the returned function is called. */
  watch(id: string, watcher: Watcher): () => void {
    return this.#watchers.add(id, watcher)
  }

  /** The view of administrators on all tasks. */
  overview(part: TaskPart, limit: number, offset: number): { tasks: ListedTask[]; counts: Record<TaskPart, number> } {
    const rows = this.#lookups.page(part, limit, offset)
    return { tasks: rows.map((row) => listed(row, this.#kinds.get(row.kind))), counts: this.#lookups.parts() }
  }

  /** What administrators may do with it; undefined when there is none of that id. */
  actionsOn(id: string): readonly ByHand[] | undefined {
    const row = this.#lookups.find(id)
    return row && actionsOn(row, this.#kinds.get(row.kind))
  }

  /**
   * Joins the transaction under way. A running task is aborted and cancelled when it has ended, unless it was done; a
   * failed one is taken off the list of those that need attention.
   */
  cancel(id: string): void {
    const row = this.#lookups.find(id)
    if (row?.state === 'failed') this.#store.dismiss(row)
    if (row?.state === 'waiting') this.#endings.giveUp(row, 'cancelled')
    if (row?.state !== 'active') return
    this.#store.requestCancel(id)
    this.#db.afterCommit(() => this.#engine.cancel(row))
  }

  /** Due at once, with its attempts back at zero, unless it runs or is done. Joins the transaction under way. */
  retry(id: string): void {
    const row = this.#lookups.find(id)
    if (row?.state !== 'waiting' && row?.state !== 'failed') return
    this.#store.again(row)
    this.#db.afterCommit(this.#engine.wake)
  }

  /** Ends and forgets it. Joins the transaction under way. */
  remove(id: string): void {
    const row = this.#lookups.find(id)
    if (!row) return
    this.#store.remove(id)
    this.#db.afterCommit(() => {
      this.#engine.cancel(row)
      this.#onChange(id)
    })
  }

  /** Cancels obsolete tasks, and deletes those that have been over for long; a job calls it. */
  async prune(signal: AbortSignal): Promise<void> {
    for (const kind of this.#kinds.values()) {
      const isObsolete = 'run' in kind.work ? kind.work.isObsolete : null
      if (isObsolete) await this.#cancelWhere(kind, isObsolete, signal)
      if (kind.keepMs === Number.POSITIVE_INFINITY) continue
      const before = iso(this.#clock.now() - kind.keepMs)
      await inPieces(signal, (maxRows) => this.#store.prune(kind.name, before, maxRows))
    }
  }

  #cancelWhere({ name }: RegisteredKind, isObsolete: (row: TaskRow) => boolean, signal: AbortSignal): Promise<number> {
    let last = 0
    return inPieces(signal, (maxRows) =>
      this.#db.transaction(() => {
        const rows = this.#store.waiting(name, last, maxRows)
        last = rows.at(-1)?.seq ?? last
        for (const row of rows) if (isObsolete(row)) this.#endings.giveUp(row, 'cancelled')
        return rows.length
      }),
    )
  }
}
