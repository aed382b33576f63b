import { Checkbox } from '@mantine/core'
import { type Key, type ReactNode, useState } from 'react'
import { usePageEscape } from '../../lib/use-page-escape.ts'
import type { Column } from './column.tsx'
import { selectionAfterClick } from './selection.ts'
import classes from './table.module.css'

interface Options<Row> {
  /** Those shown. */
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  nameOf: (row: Row) => string
  /**
   * Rows stay selected while they are not shown, as on another page, until this changes. Without it, only rows that are
   * shown are selected.
   */
  keptWithin?: string
}

export interface Selection<Row> {
  /** The first column of the table. */
  column: Column<Row>
  /** The box of a row where rows are no table. */
  boxOf: (row: Row) => ReactNode
  /** Those shown, in their order, after those of other pages. */
  selected: Row[]
  /** How many of them are on other pages. */
  elsewhere: number
  clear: () => void
}

/** Lets the user select rows of a list, several at once with Shift; Escape clears the selection. */
export function useSelection<Row>({ rows, keyOf, nameOf, keptWithin }: Options<Row>): Selection<Row> {
  const [all, setAll] = useState<ReadonlyMap<Key, Row>>(new Map())
  const [last, setLast] = useState<Key>()
  const [within, setWithin] = useState(keptWithin)
  const clear = () => setAll(new Map())
  if (within !== keptWithin) {
    setWithin(keptWithin)
    clear()
  }
  const shownKeys = rows.map(keyOf)
  const elsewhere = keptWithin === undefined ? [] : [...all].filter(([key]) => !shownKeys.includes(key))
  const here = rows.filter((row) => all.has(keyOf(row)))
  const select = (keys: ReadonlySet<Key>) =>
    setAll(
      new Map([...elsewhere, ...rows.filter((row) => keys.has(keyOf(row))).map((row) => [keyOf(row), row] as const)]),
    )
  const click = (clicked: Key, isRange: boolean) => {
    select(selectionAfterClick(shownKeys, new Set(here.map(keyOf)), clicked, isRange ? last : undefined))
    setLast(clicked)
  }
  const selectShown = () => select(new Set(shownKeys))
  const areAll = rows.length > 0 && here.length === rows.length
  const selected = [...elsewhere.map(([, row]) => row), ...here]
  usePageEscape(selected.length > 0, clear)
  const boxOf = (row: Row) => (
    <Checkbox
      size="xs"
      data-selects-row
      aria-label={`Select ${nameOf(row)}`}
      checked={all.has(keyOf(row))}
      onChange={({ nativeEvent }) => click(keyOf(row), nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  )
  const column: Column<Row> = {
    id: 'selection',
    title: 'Selection',
    heading: (
      <Checkbox
        size="xs"
        visibleFrom="sm"
        aria-label="Select all rows"
        checked={areAll}
        indeterminate={!areAll && here.length > 0}
        onChange={() => (areAll ? select(new Set()) : selectShown())}
      />
    ),
    width: 36,
    isFixed: true,
    place: 'start',
    cell: (row) => (
      // biome-ignore lint/a11y/noLabelWithoutControl: the box has a name of its own; this makes its target larger
      <label className={classes.box}>{boxOf(row)}</label>
    ),
  }
  return { column, boxOf, selected, elsewhere: elsewhere.length, clear }
}
