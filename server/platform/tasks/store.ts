import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'
import { q } from '../../db/query.ts'
import type { Tables } from '../../tables.ts'
import { type Clock, iso, isoNow } from '../clock.ts'
import type { TaskRow } from './task.ts'

/** How long a running task is left alone by other engines; its lease is renewed in time. Milliseconds. */
export const leaseMs = 60_000

/** The new state of a task. */
export type Ending =
  | { state: 'completed'; result: string | null }
  | { state: 'failed'; error: string }
  | { state: 'cancelled' | 'expired' }
  | { state: 'waiting'; dueAt: string; error?: string }

/** The rows of tasks. The end of an attempt is not saved if another engine has taken the task over. */
export class TaskStore {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** The kinds with tasks that wait, and when the first of those is due. */
  firstDue(kinds: readonly string[]): { kind: string; due_at: string }[] {
    const firsts = this.#db.all(firstDue(JSON.stringify(kinds)))
    return firsts.flatMap(({ kind, due_at }) => (due_at === null ? [] : [{ kind, due_at }]))
  }

  /** The next one to start: none of a key that is held. */
  nextDue(kind: string): TaskRow | undefined {
    return this.#db.first(nextDue(kind, isoNow(this.#clock)))
  }

  /** A few to start, the next one first: none of a key that is held. */
  someDue(kind: string): TaskRow[] {
    return this.#db.all(someDue(kind, isoNow(this.#clock)))
  }

  /** When the next task of a kind is due, without those whose key is held. */
  nextDueAt(kind: string): string | null {
    const next = unheld(kind).select('due_at').where('due_at', 'is not', null).orderBy('due_at').limit(1)
    return this.#db.first(next)?.due_at ?? null
  }

  /** Claims it for the time of a lease. */
  claim(row: TaskRow): TaskRow | undefined {
    const now = this.#clock.now()
    const [claimed] = this.#db.write(
      q
        .updateTable('tasks')
        .set({
          state: 'active',
          due_at: null,
          lease_until: iso(now + leaseMs),
          attempts: sql`attempts + 1`,
          started_at: sql`coalesce(started_at, ${iso(now)})`,
        })
        .where(asRead(row))
        .returningAll(),
    )
    return claimed
  }

  /** False when the attempt was ended or taken over since it was read. */
  renew(row: TaskRow): boolean {
    const lease_until = iso(this.#clock.now() + leaseMs)
    return this.#db.run(q.updateTable('tasks').set({ lease_until }).where(asRead(row))) > 0
  }

  /** False when the attempt was ended or taken over since it was read. */
  progress(row: TaskRow, progress: string): boolean {
    return this.#db.run(q.updateTable('tasks').set({ progress }).where(asRead(row))) > 0
  }

  /** False when it is not as it was read. */
  end(row: TaskRow, ending: Ending): boolean {
    return this.#db.run(q.updateTable('tasks').set(this.#valuesOf(ending)).where(asRead(row))) > 0
  }

  /** The same for one that is forgotten at once. */
  endAndForget(row: TaskRow): boolean {
    return this.#db.run(q.deleteFrom('tasks').where(asRead(row))) > 0
  }

  remove(id: string): void {
    this.#db.run(q.deleteFrom('tasks').where('id', '=', id))
  }

  requestCancel(id: string): void {
    this.#db.run(q.updateTable('tasks').set({ cancel_requested: 1 }).where('id', '=', id))
  }

  /** With the count of its attempts back at zero. */
  again({ seq }: TaskRow): void {
    const values = { ...this.#valuesOf({ state: 'waiting', dueAt: isoNow(this.#clock) }), attempts: 0 }
    this.#db.run(q.updateTable('tasks').set(values).where('seq', '=', seq))
  }

  /** Those that run, whose lease ends first. */
  leased(kinds: readonly string[]): TaskRow[] {
    const leased = q
      .selectFrom('tasks')
      .selectAll()
      .where('lease_until', 'is not', null)
      .where(isOneOf(JSON.stringify(kinds)))
    return this.#db.all(leased.orderBy('lease_until'))
  }

  /** Those that wait and are past their deadline. */
  pastDeadline(kinds: readonly string[], now: string, limit: number): TaskRow[] {
    return this.#db.all(waitingUntil(JSON.stringify(kinds)).selectAll().where('deadline_at', '<=', now).limit(limit))
  }

  /** Of those that wait. */
  nextDeadline(kinds: readonly string[]): string | null {
    return this.#db.first(nextDeadline(JSON.stringify(kinds)))?.deadline_at ?? null
  }

  /** At most so many that wait, behind the one with this `seq`. */
  waiting(kind: string, behind: number, maxRows: number): TaskRow[] {
    return this.#db.all(
      q
        .selectFrom('tasks')
        .selectAll()
        .where('kind', '=', kind)
        .where('seq', '>', behind)
        .where('state', '=', 'waiting')
        .orderBy('seq')
        .limit(maxRows),
    )
  }

  /** Takes a failed task off the list of those that need attention. */
  dismiss({ seq }: TaskRow): void {
    this.#db.run(
      q.updateTable('tasks').set({ state: 'cancelled' }).where('seq', '=', seq).where('state', '=', 'failed'),
    )
  }

  /** What waits is due at once. */
  hurry(kind: string): void {
    this.#db.run(
      q
        .updateTable('tasks')
        .set({ due_at: isoNow(this.#clock) })
        .where('kind', '=', kind)
        .where('finished_at', 'is', null)
        .where('state', '=', 'waiting'),
    )
  }

  /** Forgets at most so many that were over, and not failed, before then; returns how many. */
  prune(kind: string, before: string, maxRows: number): number {
    const over = q
      .selectFrom('tasks')
      .select('seq')
      .where('finished_at', 'is not', null)
      .where('finished_at', '<', before)
      .where(sql<boolean>`+kind = ${kind}`)
      .where('state', '!=', 'failed')
      .limit(maxRows)
    return this.#db.run(q.deleteFrom('tasks').where('seq', 'in', over))
  }

  #valuesOf(ending: Ending) {
    const isWaiting = ending.state === 'waiting'
    return {
      state: ending.state,
      due_at: isWaiting ? ending.dueAt : null,
      lease_until: null,
      finished_at: isWaiting ? null : isoNow(this.#clock),
      ...(ending.state === 'completed' && { result: ending.result, error: null }),
      ...('error' in ending && { error: ending.error }),
    }
  }
}

/** Those of a kind that are not over, but for those of a key that another one holds while it runs. */
const unheld = (kind: string) =>
  q
    .selectFrom('tasks as next')
    .where('kind', '=', kind)
    .where('finished_at', 'is', null)
    .where(
      sql<boolean>`not exists (
        select 1 from tasks as other where other.key = next.key and other.lease_until is not null)`,
    )

const due = (kind: string, now: string, limit: number) =>
  unheld(kind).selectAll().where('due_at', '<=', now).orderBy('due_at').orderBy('seq').limit(limit)
const nextDue = prepared((kind, now) => due(kind, now, 1))
const someDue = prepared((kind, now) => due(kind, now, 20))

const firstDue = prepared((kinds) =>
  q
    .selectFrom(sql<{ value: string }>`json_each(${kinds})`.as('kinds'))
    .select((select) => [
      'kinds.value as kind',
      select
        .selectFrom('tasks')
        .select('due_at')
        .whereRef('tasks.kind', '=', 'kinds.value')
        .where('finished_at', 'is', null)
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .as('due_at'),
    ]),
)

/** With a plus: an index of kinds would lead to all there ever were of them. */
const isOneOf = (kinds: string) => sql<boolean>`+kind in (select value from json_each(${kinds}))`

/** Those that wait and have a deadline, the first one first. */
const waitingUntil = (kinds: string) =>
  q
    .selectFrom('tasks')
    .where('deadline_at', 'is not', null)
    .where('finished_at', 'is', null)
    .where('state', '=', 'waiting')
    .where(isOneOf(kinds))
    .orderBy('deadline_at')

const nextDeadline = prepared((kinds) => waitingUntil(kinds).select('deadline_at').limit(1))

/** Its row, unless an attempt was begun, ended or taken over since it was read. */
const asRead =
  ({ seq, attempts, state }: TaskRow) =>
  (where: ExpressionBuilder<Tables, 'tasks'>) =>
    where.and({ seq, attempts, state })
