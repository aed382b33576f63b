import { createContext, use, useMemo } from 'react'
import type { Column } from './column.tsx'

type Hideable = Pick<Column<never>, 'id' | 'isFixed'>

/** The columns without those the user has hidden; a column that cannot be hidden stays whatever is stored. */
export const withoutHidden = <Of extends Hideable>(columns: readonly Of[], hidden: readonly string[]): Of[] =>
  columns.filter(({ id, isFixed }) => isFixed || !hidden.includes(id))

/** Columns of other versions, which are stored too, stay as they are. */
export const withColumn = (hidden: readonly string[], id: string, isShown: boolean): string[] =>
  isShown ? hidden.filter((one) => one !== id) : [...new Set([...hidden, id])]

/** Ids of the columns that are hidden until the user chooses otherwise. */
export const hiddenFirst = (columns: readonly Pick<Column<never>, 'id' | 'isHiddenFirst'>[]): string[] =>
  columns.filter(({ isHiddenFirst }) => isHiddenFirst).map(({ id }) => id)

/** Where the hidden columns of each table are kept. */
export interface HiddenColumns {
  /** By the name of the table; a change is in it at once. */
  kept: Readonly<Record<string, readonly string[]>>
  keep: (table: string, hidden: readonly string[]) => void
}

export const HiddenColumnsContext = createContext<HiddenColumns>({ kept: {}, keep: () => {} })

/** The hidden columns of a table, and how to change them. */
export function useHiddenColumns(table: string, columns: readonly Pick<Column<never>, 'id' | 'isHiddenFirst'>[]) {
  const { kept, keep } = use(HiddenColumnsContext)
  const first = useMemo(() => hiddenFirst(columns), [columns])
  return { hidden: kept[table] ?? first, change: (hidden: readonly string[]) => keep(table, hidden) }
}
