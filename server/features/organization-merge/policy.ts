import type { Database, TableName } from '../../db/database.ts'
import type { Journal, Parties } from './journal.ts'

/** What a merge does with a table besides moving its rows. */
export interface Custom {
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
  run(journal: Journal, maxRows: number): number
}

export const ofLoser = 'org_id = +@loser'

/** Rows of the loser of which the survivor has one that is the same in these columns. */
export const collides = (table: TableName, same: readonly string[]): string => {
  const equal = same.map((column) => ` AND kept.${column} = ${table}.${column}`)
  return `${ofLoser} AND EXISTS (SELECT 1 FROM ${table} AS kept WHERE kept.org_id = +@survivor${equal.join('')})`
}
