import { Checkbox } from '@mantine/core'
import { type Key, type ReactNode, useDeferredValue, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { usePageEscape } from '../../lib/use-page-escape.ts'
import type { Column } from './column.tsx'
import { SelectionStore } from './selection-store.ts'
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
  store: SelectionStore<Row>
}

/**
 * Lets the user select rows of a list, several at once with Shift; Escape clears the selection. The caller is not
 * rendered again when it changes; what shows the selection asks `useSelected`.
 */
export function useSelection<Row>({ rows, keyOf, nameOf, keptWithin }: Options<Row>): Selection<Row> {
  const [selection] = useState(() => selectionOf(keyOf, nameOf))
  const { store } = selection
  useLayoutEffect(() => store.show(rows, keptWithin !== undefined), [store, rows, keptWithin])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the selection is kept within has changed
  useLayoutEffect(() => store.clear, [store, keptWithin])
  return selection
}

/**
 * The selected rows: those shown, in their order, after those of other pages, of which there are `elsewhere`. They come one
 * picture after the boxes, which so are checked at once on a slow computer.
 */
export function useSelected<Row>({ store }: Selection<Row>): { selected: Row[]; elsewhere: number; clear: () => void } {
  const { here, elsewhere } = useDeferredValue(useSyncExternalStore(store.subscribe, store.selected))
  const selected = [...elsewhere, ...here]
  usePageEscape(selected.length > 0, store.clear)
  return { selected, elsewhere: elsewhere.length, clear: store.clear }
}

/** What stays the same while the selection changes. */
function selectionOf<Row>(keyOf: (row: Row) => Key, nameOf: (row: Row) => string): Selection<Row> {
  const store = new SelectionStore(keyOf)
  const boxOf = (row: Row) => <Box store={store} row={row} name={nameOf(row)} />
  const column: Column<Row> = {
    id: 'selection',
    title: 'Selection',
    heading: <BoxForAll store={store} />,
    width: 36,
    isFixed: true,
    place: 'start',
    cell: (row) => (
      // biome-ignore lint/a11y/noLabelWithoutControl: the box has a name of its own; this makes its target larger
      <label className={classes.box}>{boxOf(row)}</label>
    ),
  }
  return { store, column, boxOf }
}

/** A plain element: fifty of Mantine’s take a slow computer long. */
function Box<Row>({ store, row, name }: { store: SelectionStore<Row>; row: Row; name: string }) {
  const isSelected = useSyncExternalStore(store.subscribe, () => store.has(row))
  return (
    <input
      type="checkbox"
      className={classes.checkbox}
      data-selects-row
      aria-label={`Select ${name}`}
      checked={isSelected}
      onChange={({ nativeEvent }) => store.click(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  )
}

function BoxForAll<Row>({ store }: { store: SelectionStore<Row> }) {
  const state = useSyncExternalStore(store.subscribe, store.shownState)
  return (
    <Checkbox
      size="xs"
      visibleFrom="sm"
      aria-label="Select all rows"
      checked={state === 'all'}
      indeterminate={state === 'some'}
      onChange={() => store.selectShown(state !== 'all')}
    />
  )
}
