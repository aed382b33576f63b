import type { Selectable } from 'kysely'
import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { OrgMergeUndoTable } from './tables.ts'

/** What the statements of a merge name: `@loser` is merged away, `@survivor` takes its rows in. */
export interface Parties {
  job: string
  loser: string
  survivor: string
  now: string
}

type Entry = Selectable<OrgMergeUndoTable>

/**
 * Changes rows and keeps how they were before, in one transaction. Until the merge is complete it can be taken back,
 * after a crash too.
 */
export class Journal {
  readonly #db: Database
  readonly #parties: Parties

  constructor(db: Database, parties: Parties) {
    this.#db = db
    this.#parties = parties
  }

  /** Sets columns of at most so many of the rows, as in `{ org_id: '@survivor' }`; returns how many. */
  change(table: TableName, set: Record<string, string>, where: string, maxRows: number): number {
    const before = Object.keys(set).map((column) => `'${column}', ${column}`)
    const assignments = Object.entries(set).map(([column, value]) => `${column} = ${value}`)
    const since = this.#note(table, before, 0, where, maxRows)
    return this.#run(`UPDATE ${table} SET ${assignments.join(', ')}`, since, maxRows)
  }

  /** Deletes at most so many of the rows; returns how many. */
  drop(table: TableName, where: string, maxRows: number): number {
    const whole = this.#db.columnsOf(table).map((column) => `'${column}', ${column}`)
    const since = this.#note(table, whole, 1, where, maxRows)
    return this.#run(`DELETE FROM ${table}`, since, maxRows)
  }

  /** Rows that are kept. */
  get size(): number {
    const count = this.#db.statement<number>('SELECT count(*) FROM org_merge_undo WHERE job_id = ?').pluck()
    return count.get(this.#parties.job) ?? 0
  }

  /** Puts at most so many rows back, the last one touched first; returns how many, 0 once nothing is left. */
  undo(maxRows: number): number {
    const entries = this.#db.all(
      q
        .selectFrom('org_merge_undo')
        .selectAll()
        .where('job_id', '=', this.#parties.job)
        .orderBy('seq', 'desc')
        .limit(maxRows),
    )
    for (const entry of entries) this.#restore(entry)
    const last = entries.at(-1)
    if (last)
      this.#db.run(q.deleteFrom('org_merge_undo').where('job_id', '=', this.#parties.job).where('seq', '>=', last.seq))
    return entries.length
  }

  /** Forgets at most so many rows of a merge that is complete; returns how many. */
  forget(maxRows: number): number {
    const first = q.selectFrom('org_merge_undo').select('seq').where('job_id', '=', this.#parties.job).orderBy('seq')
    return this.#db.run(q.deleteFrom('org_merge_undo').where('seq', 'in', first.limit(maxRows)))
  }

  #note(table: TableName, before: readonly string[], isDeleted: 0 | 1, where: string, maxRows: number): number {
    const since = this.#db.statement<number>('SELECT coalesce(max(seq), 0) FROM org_merge_undo').pluck().get() ?? 0
    this.#db
      .statement(
        `INSERT INTO org_merge_undo (job_id, table_name, row_id, before, is_deleted)
         SELECT @job, '${table}', id, json_object(${before.join(', ')}), ${isDeleted} FROM ${table}
         WHERE ${where} LIMIT @maxRows`,
      )
      .run({ ...this.#parties, maxRows })
    return since
  }

  #run(statement: string, since: number, maxRows: number): number {
    const noted = 'SELECT row_id FROM org_merge_undo WHERE job_id = @job AND seq > @since'
    return this.#db.statement(`${statement} WHERE id IN (${noted})`).run({ ...this.#parties, since, maxRows }).changes
  }

  #restore({ table_name: table, row_id: id, before, is_deleted: isDeleted }: Entry): void {
    const row = fromJson(before)
    const columns = Object.keys(row)
    const statement = isDeleted
      ? `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
      : `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`
    this.#db.statement(statement).run(...Object.values(row), ...(isDeleted ? [] : [id]))
  }
}
