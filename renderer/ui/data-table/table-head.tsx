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
  columnMenu: ReactNode
}

export function TableHead<Row, SortKey extends string>({ columns, sorting, columnMenu }: Props<Row, SortKey>) {
  const last = columns.at(-1)
  const isShared = isBesideColumnMenu(last)
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column) => (
          <Heading key={column.id} column={column} sorting={sorting}>
            {isShared && column === last && columnMenu}
          </Heading>
        ))}
        {columnMenu && !isShared && (
          <Table.Th w={36} className={classes.columnMenu}>
            {columnMenu}
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  )
}

/** The heading of a column of menus has room for the button of the column choice. */
export const isBesideColumnMenu = (column: Pick<Column<never>, 'place'> | undefined): boolean =>
  column?.place === 'corner'

interface HeadingProps<Row, SortKey extends string> {
  column: Column<Row, SortKey>
  sorting: Sorting<SortKey> | undefined
  children: ReactNode
}

function Heading<Row, SortKey extends string>({ column, sorting, children }: HeadingProps<Row, SortKey>) {
  const { title, width, align, place, sort } = column
  if (sort && sorting)
    return (
      <SortHeader
        label={title}
        width={width}
        direction={sorting.by === sort ? sorting.direction : undefined}
        onSort={() => sorting.onSort(sort)}
      />
    )
  return (
    <Table.Th w={width} ta={align} {...(children && { className: classes.columnMenu })}>
      {place ? <VisuallyHidden>{title}</VisuallyHidden> : title}
      {children}
    </Table.Th>
  )
}
