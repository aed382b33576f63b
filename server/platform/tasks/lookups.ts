import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { TaskRow, TaskState } from './task.ts'

/** `ended` are those that are over and did not fail. */
export type TaskPart = 'open' | 'failed' | 'ended'

/** Reads tasks for people and for the features they belong to. */
export class TaskLookups {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  find(id: string): TaskRow | undefined {
    return this.#db.first(q.selectFrom('tasks').selectAll().where('id', '=', id))
  }

  /** Those of a kind in one of these states, newest first. */
  list(kind: string, states: readonly TaskState[], limit: number, offset: number): TaskRow[] {
    const rows = q.selectFrom('tasks').selectAll().where('kind', '=', kind).where('state', 'in', states)
    return this.#db.all(rows.orderBy('seq', 'desc').limit(limit).offset(offset))
  }

  counts(kind: string): Record<TaskState, number> {
    const none = { waiting: 0, active: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }
    // One pass over the index; to group by the state would sort all of them.
    const of = (state: TaskState) => sql<number>`count(*) filter (where state = ${state})`.as(state)
    const counts = q
      .selectFrom('tasks')
      .select([of('waiting'), of('active'), of('completed'), of('failed'), of('cancelled'), of('expired')])
      .where('kind', '=', kind)
    return this.#db.first(counts) ?? none
  }

  /** A page of all kinds together: of those that are not over or have failed the newest first, else the last to end. */
  page(part: TaskPart, limit: number, offset: number): TaskRow[] {
    const tasks = q.selectFrom('tasks').selectAll().limit(limit).offset(offset)
    if (part === 'open') {
      // With a plus it is the index of open ones that is read, and not every row from the newest one down.
      const newest = q.selectFrom('tasks').select('seq').where('finished_at', 'is', null).orderBy(sql`+seq`, 'desc')
      const page = newest.limit(limit).offset(offset)
      return this.#db.all(q.selectFrom('tasks').selectAll().where('seq', 'in', page).orderBy('seq', 'desc'))
    }
    if (part === 'failed') return this.#db.all(tasks.where(sql<boolean>`state = 'failed'`).orderBy('seq', 'desc'))
    return this.#db.all(
      tasks.where('finished_at', 'is not', null).where('state', '!=', 'failed').orderBy('finished_at', 'desc'),
    )
  }

  /** How many there are on all of those pages. */
  parts(): Record<TaskPart, number> {
    const count = (where: RawBuilder<boolean>) =>
      this.#db.first(
        q
          .selectFrom('tasks')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(where),
      )?.count ?? 0
    return {
      open: count(sql`finished_at is null`),
      failed: count(sql`state = 'failed'`),
      ended: count(sql`finished_at is not null and state <> 'failed'`),
    }
  }

  /** Those of a kind that are not over or have failed, with these values at these places of their input. */
  unfinishedWhere(kind: string, values: Record<string, string>): { id: string }[] {
    let unfinished = q
      .selectFrom('tasks')
      .select('id')
      .where('kind', '=', kind)
      .where('state', 'in', ['waiting', 'active', 'failed'])
    for (const [path, value] of Object.entries(values))
      unfinished = unfinished.where(sql<boolean>`input ->> ${`$.${path}`} = ${value}`)
    return this.#db.all(unfinished)
  }
}
