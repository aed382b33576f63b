import { Checkbox } from '@mantine/core'
import { type Key, useState } from 'react'
import type { Column } from './column.tsx'
import { selectionAfterClick } from './selection.ts'

interface Options<Row> {
  /** Those shown. A row that is not among them any more is not selected either. */
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  nameOf: (row: Row) => string
}

export interface Selection<Row> {
  /** The first column of the table. */
  column: Column<Row>
  /** In the order of the rows. */
  selected: Row[]
  clear: () => void
}

/** Lets the user select rows of a table, several at once with Shift. */
export function useSelection<Row>({ rows, keyOf, nameOf }: Options<Row>): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(new Set())
  const [last, setLast] = useState<Key>()
  const selected = rows.filter((row) => keys.has(keyOf(row)))
  const clear = () => setKeys(new Set())
  const click = (clicked: Key, isRange: boolean) => {
    const present = new Set(selected.map(keyOf))
    setKeys(selectionAfterClick(rows.map(keyOf), present, clicked, isRange ? last : undefined))
    setLast(clicked)
  }
  const areAll = rows.length > 0 && selected.length === rows.length
  const column: Column<Row> = {
    id: 'selection',
    title: 'Selection',
    heading: (
      <Checkbox
        size="xs"
        visibleFrom="sm"
        aria-label="Select all rows"
        checked={areAll}
        indeterminate={!areAll && selected.length > 0}
        onChange={() => (areAll ? clear() : setKeys(new Set(rows.map(keyOf))))}
      />
    ),
    width: 36,
    isFixed: true,
    place: 'start',
    cell: (row) => (
      <Checkbox
        size="xs"
        aria-label={`Select ${nameOf(row)}`}
        checked={keys.has(keyOf(row))}
        onChange={({ nativeEvent }) => click(keyOf(row), nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
      />
    ),
  }
  return { column, selected, clear }
}
