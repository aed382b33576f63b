import { Table } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import type { Column } from './column.tsx'
import classes from './table.module.css'

export interface RowProps {
  onClick: ((event: MouseEvent<HTMLElement>) => void) | undefined
  'data-clickable': true | undefined
  children: ReactNode
}

/** For the mouse only; keyboard users have the link or button in the row. */
export const openOnClick = (open: () => void) => (event: MouseEvent<HTMLElement>) => {
  const target = event.target as Element
  // A menu that belongs to the row is elsewhere in the document.
  if (event.defaultPrevented || !event.currentTarget.contains(target) || target.closest('a, button, input, label'))
    return
  open()
}

interface CellsProps<Row> {
  row: Row
  columns: readonly Column<Row, string>[]
  isCard: boolean
}

export function Cells<Row>({ row, columns, isCard }: CellsProps<Row>) {
  const heading = columns.find(({ place }) => !place)
  return columns.map((column) => (
    <Cell key={column.id} row={row} column={column} isHeading={column === heading} isCard={isCard} />
  ))
}

interface CellProps<Row> {
  row: Row
  column: Column<Row, string>
  isHeading: boolean
  isCard: boolean
}

function Cell<Row>({ row, column, isHeading, isCard }: CellProps<Row>) {
  const { place, look, wrap } = column
  return (
    <Table.Td
      data-label={isCard && !isHeading && !place ? (column.cardTitle ?? column.title) : undefined}
      data-heading={(isCard && isHeading) || undefined}
      data-place={(isCard && place) || undefined}
      className={[look && classes[look], wrap && classes[wrap]].filter(Boolean).join(' ') || undefined}
      maw={isCard ? undefined : column.maxWidth}
      pr={place === 'start' ? 0 : undefined}
      ta={isCard ? undefined : column.align}
      title={column.tooltip?.(row)}
    >
      {column.cell(row)}
    </Table.Td>
  )
}
