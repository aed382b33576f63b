import type { Key } from 'react'

/** As many rows of one line as a window usually shows. */
export const firstRows = 20

/**
 * The first of the new rows, and below them those of the other new ones that were there before, as they were. So rows that
 * only change do not vanish meanwhile, and rows of another page are never among these.
 */
export function rowsInTurn<Row>(
  rows: readonly Row[],
  old: readonly Row[],
  keyOf: (row: Row, index: number) => Key,
): readonly Row[] {
  if (rows === old || rows.length <= firstRows) return rows
  const later = new Set(rows.map(keyOf).slice(firstRows))
  return [...rows.slice(0, firstRows), ...old.filter((row, at) => later.has(keyOf(row, at)))]
}
