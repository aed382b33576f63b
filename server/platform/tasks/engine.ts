import type { Database } from '../../db/database.ts'
import { inSteps, type Steps } from '../../lib/pieces.ts'
import { type Clock, isoNow } from '../clock.ts'
import { DueWork } from '../due-work.ts'
import type { Log } from '../log.ts'
import type { Endings } from './endings.ts'
import type { RegisteredKind } from './registered-kind.ts'
import { Runs } from './runs.ts'
import { ShortWork } from './short-work.ts'
import type { TaskStore } from './store.ts'
import type { TaskRow } from './task.ts'

/** How many tasks past their deadline are ended in one turn. */
const handledPerTurn = 100

interface EngineOptions {
  db: Database
  clock: Clock
  log: Log
  store: TaskStore
  endings: Endings
  kinds: ReadonlyMap<string, RegisteredKind>
  onChange: (id: string) => void
}

type FirstDue = ReturnType<TaskStore['firstDue']>[number]

/** Starts what is due, so many of each kind. */
export class TaskEngine {
  readonly #options: EngineOptions
  readonly #alarm: DueWork
  readonly #runs: Runs
  readonly #shortWork: ShortWork
  /** As they were when there was nothing more to start. */
  #firstDue: FirstDue[] = []
  /** The first of those that wait. */
  #nextDeadline: string | null = null

  constructor(options: EngineOptions) {
    this.#options = options
    const doDue = (stopping: AbortSignal) => inSteps(stopping, this.#doDue())
    this.#alarm = new DueWork(options.clock, options.log, doDue, () => this.#nextDueAt())
    this.#runs = new Runs(options, this.wake)
    this.#shortWork = new ShortWork(options)
  }

  /** Takes over all active tasks: a data directory has one appliance, so no other process can be running them. */
  start(): void {
    const { db, endings } = this.#options
    db.transaction(() => {
      for (const row of this.#leasedElsewhere()) endings.takeOver(row, this.#kindOf(row), false)
    })
    this.#nextDeadline = this.#readNextDeadline()
    this.#alarm.start()
  }

  /** Starts nothing more, aborts running tasks and waits for them. May be started again. */
  async stop(): Promise<void> {
    await this.#alarm.stop()
    await this.#runs.stop()
  }

  readonly wake = (): void => this.#alarm.wake()

  /** After the commit that cancelled or removed the task. */
  cancel(row: TaskRow): void {
    this.#runs.cancel(row)
  }

  *#doDue(): Steps<void> {
    this.#runs.look()
    if (this.#nextDeadline !== null && this.#nextDeadline <= isoNow(this.#options.clock)) this.#seeToDeadlines()
    if (this.#runs.hasUnsaved) this.#seeToUnsaved()
    for (let isMore = true; isMore; ) {
      isMore = false
      // One after the other: however many wait of one kind, the next one gets its turn.
      for (const kind of this.#dueKinds()) {
        yield
        const { work } = kind
        if ('write' in work) isMore = this.#shortWork.write(kind, work.write) || isMore
        else if ('effect' in work) isMore = this.#shortWork.effect(kind, work.effect) || isMore
        else
          for (const run of this.#runs.claim(kind, work)) {
            isMore = true
            this.#runs.begin(run)
            yield
          }
      }
    }
  }

  #dueKinds(): RegisteredKind[] {
    const { clock, kinds, store } = this.#options
    const now = isoNow(clock)
    this.#firstDue = store.firstDue([...kinds.keys()])
    return this.#firstDue.filter(({ due_at }) => due_at <= now).map((first) => this.#kindOf(first))
  }

  #seeToDeadlines(): void {
    const { db, clock, endings, kinds, store } = this.#options
    db.transaction(() => {
      for (const row of store.pastDeadline([...kinds.keys()], isoNow(clock), handledPerTurn))
        endings.giveUp(row, 'expired')
    })
  }

  #readNextDeadline(): string | null {
    const { kinds, store } = this.#options
    return store.nextDeadline([...kinds.keys()])
  }

  /** Tasks whose end could not be saved: they are active in their row only. */
  #seeToUnsaved(): void {
    const { db, clock, endings } = this.#options
    const now = isoNow(clock)
    const unsaved = this.#leasedElsewhere()
    const lost = unsaved.filter((row) => (row.lease_until ?? now) <= now)
    db.transaction(() => {
      for (const row of lost) endings.takeOver(row, this.#kindOf(row), true)
    })
    this.#runs.hasUnsaved = lost.length < unsaved.length
  }

  #leasedElsewhere(): TaskRow[] {
    const { kinds, store } = this.#options
    return store.leased([...kinds.keys()]).filter((row) => !this.#runs.has(row))
  }

  #kindOf(row: Pick<TaskRow, 'kind'>): RegisteredKind {
    const kind = this.#options.kinds.get(row.kind)
    if (!kind) throw new Error(`There is no kind of task called ${row.kind}`)
    return kind
  }

  #nextDueAt(): string | null {
    this.#nextDeadline = this.#readNextDeadline()
    const instants = [
      this.#nextDeadline,
      this.#runs.hasUnsaved ? this.#leasedElsewhere()[0]?.lease_until : null,
      ...this.#runs.nextLooks(),
      ...this.#firstDue.map((first) => this.#nextStartOf(first)),
    ]
    return instants.reduce<string | null>((first, one) => (one && (!first || one < first) ? one : first), null)
  }

  /** The end of one makes room for the next, of its kind or its key: what waits for that sets no alarm. */
  #nextStartOf(first: FirstDue): string | null {
    const { clock, store } = this.#options
    const kind = this.#kindOf(first)
    if ('run' in kind.work && this.#runs.roomFor(kind, kind.work) <= 0) return null
    return first.due_at > isoNow(clock) ? first.due_at : store.nextDueAt(kind.name)
  }
}
