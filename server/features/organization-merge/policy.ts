import type { Database, TableName } from '../../db/database.ts'
import type { Journal, Parties } from './journal.ts'

/** What becomes of the rows of a table when their organization is merged into another (reference/tenancy.md §8.4). */
export type MergePolicy =
  /**
   * They get the survivor's `org_id`; equal names may stand beside each other. `alsoKept`: columns that somebody may
   * change meanwhile and that would not fit any more if the merge were taken back.
   */
  | { policy: 'repoint'; alsoKept?: readonly string[] }
  /** The same, but a row that the survivor has too, by these columns, is dropped. */
  | { policy: 'dedupe'; same: readonly string[] }
  | Custom
  /** Without an `org_id` of their own they go where the row goes to which they belong. */
  | { policy: 'follows-parent'; parent: TableName }
  | { policy: 'leave-for-erasure' }
  | { policy: 'loser-shell' }
  | { policy: 'none'; because: string }

export interface Custom {
  policy: 'custom'
  /** Before the rows go over. */
  prepare?: Step
  /** Set along with `org_id`. */
  set?: Record<string, string>
  /** Condition of the rows that do not go over. */
  drops?: string
  warnings(db: Database, parties: Pair): string[]
}

export type Pair = Omit<Parties, 'job'>

/** Does at most so many rows of one table and returns how many; 0 once none is left. */
export interface Step {
  outcome: 'moved' | 'dropped' | 'changed'
  run(journal: Journal, most: number): number
}

export const ofLoser = 'org_id = +@loser'

/** Rows of the loser of which the survivor has one that is the same in these columns. */
export const collides = (table: TableName, same: readonly string[]): string => {
  const equal = same.map((column) => ` AND kept.${column} = ${table}.${column}`)
  return `${ofLoser} AND EXISTS (SELECT 1 FROM ${table} AS kept WHERE kept.org_id = +@survivor${equal.join('')})`
}
