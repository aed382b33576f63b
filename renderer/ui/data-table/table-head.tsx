import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column } from './column.tsx'
import { type SortDirection, SortHeader } from './sort-header.tsx'
import classes from './table.module.css'

export interface Sorting<Key extends string> {
  by: Key
  direction: SortDirection
  onSort: (by: Key) => void
}

interface Props<Row, SortKey extends string> {
  columns: readonly Column<Row, SortKey>[]
  sorting: Sorting<SortKey> | undefined
  /** In the corner above the last column. */
  columnMenu: ReactNode
}

export function TableHead<Row, SortKey extends string>({ columns, sorting, columnMenu }: Props<Row, SortKey>) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column, index) => (
          <Heading
            key={column.id}
            column={column}
            sorting={sorting}
            isBesideMenu={index === columns.length - 1 && columnMenu !== undefined}
          />
        ))}
        {/* A place of its own, so that it stays open while the columns change. */}
        {columnMenu && <td className={classes.menuPlace}>{columnMenu}</td>}
      </Table.Tr>
    </Table.Thead>
  )
}

interface HeadingProps<Row, SortKey extends string> {
  column: Column<Row, SortKey>
  sorting: Sorting<SortKey> | undefined
  isBesideMenu: boolean
}

function Heading<Row, SortKey extends string>({ column, sorting, isBesideMenu }: HeadingProps<Row, SortKey>) {
  const { title, heading, width, align, place, sort } = column
  // Said, because the cell of the menu would make it the heading of a row.
  const props = { scope: 'col', w: width, ta: align, ...(isBesideMenu && { className: classes.withMenu }) }
  if (sort && sorting)
    return (
      <SortHeader
        {...props}
        label={title}
        direction={sorting.by === sort ? sorting.direction : undefined}
        onSort={() => sorting.onSort(sort)}
      />
    )
  return <Table.Th {...props}>{heading ?? (place ? <VisuallyHidden>{title}</VisuallyHidden> : title)}</Table.Th>
}
