import { type Key, useDeferredValue, useMemo } from 'react'
import { rowsInTurn } from './rows-in-turn.ts'

interface RowsInTurn<Row> {
  rows: readonly Row[]
  /** How many rows fewer than there will be. */
  missing: number
}

/**
 * Rows for two pictures: the first has the new rows at the top, and the next, which any input interrupts, has all. So a
 * slow computer answers to a click before it has rendered what is out of sight.
 */
export function useRowsInTurn<Row>(
  rows: readonly Row[],
  keyOf: (row: Row, index: number) => Key,
  isWanted: boolean,
): RowsInTurn<Row> {
  const settled = useDeferredValue(rows, none)
  return useMemo(() => {
    const shown = isWanted ? rowsInTurn(rows, settled, keyOf) : rows
    return { rows: shown, missing: rows.length - shown.length }
  }, [rows, settled, keyOf, isWanted])
}

const none: readonly never[] = []
