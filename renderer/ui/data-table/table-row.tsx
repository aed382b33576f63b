import { type CSSProperties, type MouseEvent, memo, type ReactNode } from 'react'
import type { Column } from './column.tsx'
import classes from './table.module.css'

export interface RowProps {
  onClick: ((event: MouseEvent<HTMLElement>) => void) | undefined
  'data-clickable': true | undefined
  children: ReactNode
}

interface Props<Row> {
  row: Row
  columns: readonly Column<Row, string>[]
  isCard: boolean
  onOpen: ((row: Row) => void) | undefined
}

/** What an element needs to be the row of a table. */
export const rowProps = <Row,>({ row, columns, isCard, onOpen }: Props<Row>): RowProps => ({
  onClick: onOpen && openOnClick(() => onOpen(row)),
  'data-clickable': onOpen && true,
  children: <Cells row={row} columns={columns} isCard={isCard} />,
})

/** Rendered again only if the row or the columns are others: with fifty rows, all of them take a slow computer long. */
export const PlainRow = memo(function PlainRow<Row>(props: Props<Row>) {
  return <tr {...rowProps(props)} />
}) as <Row>(props: Props<Row>) => ReactNode

/** For the mouse only; keyboard users have the link or button in the row. */
const openOnClick = (open: () => void) => (event: MouseEvent<HTMLElement>) => {
  const target = event.target as Element
  // A menu that belongs to the row is elsewhere in the document.
  if (event.defaultPrevented || !event.currentTarget.contains(target) || target.closest('a, button, input, label'))
    return
  open()
}

function Cells<Row>({ row, columns, isCard }: Omit<Props<Row>, 'onOpen'>) {
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

/** A plain element: a Mantine one for each cell takes ten times as long. */
function Cell<Row>({ row, column, isHeading, isCard }: CellProps<Row>) {
  const { place, look, wrap, maxWidth, align } = column
  const style: CSSProperties = {
    ...(!isCard && maxWidth !== undefined && { maxWidth }),
    ...(!isCard && align && { textAlign: align }),
    ...(place === 'start' && { paddingRight: 0 }),
  }
  return (
    <td
      data-label={isCard && !isHeading && !place ? (column.cardTitle ?? column.title) : undefined}
      data-heading={(isCard && isHeading) || undefined}
      data-place={(isCard && place) || undefined}
      className={[look && classes[look], wrap && classes[wrap]].filter(Boolean).join(' ') || undefined}
      style={style}
      title={column.tooltip?.(row)}
    >
      {column.cell(row)}
    </td>
  )
}
