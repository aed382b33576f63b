import type { Key } from 'react'

/** As many rows of one line as a window usually shows. */
export const firstRows = 20

/** The first of the new rows, and below them those of the old that are not among these, at most as many as will be there. */
export function rowsInTurn<Row>(
  rows: readonly Row[],
  old: readonly Row[],
  keyOf: (row: Row, index: number) => Key,
): readonly Row[] {
  if (rows === old || rows.length <= firstRows) return rows
  const first = rows.slice(0, firstRows)
  const keys = new Set(first.map(keyOf))
  const rest = old.filter((row, at) => at >= firstRows && !keys.has(keyOf(row, at)))
  return [...first, ...rest.slice(0, rows.length - firstRows)]
}
