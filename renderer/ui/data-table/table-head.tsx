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
  /** In the corner of the last heading. */
  columnMenu: ReactNode
}

export function TableHead<Row, SortKey extends string>({ columns, sorting, columnMenu }: Props<Row, SortKey>) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column, index) => (
          <Heading key={column.id} column={column} sorting={sorting}>
            {index === columns.length - 1 && columnMenu}
          </Heading>
        ))}
      </Table.Tr>
    </Table.Thead>
  )
}

interface HeadingProps<Row, SortKey extends string> {
  column: Column<Row, SortKey>
  sorting: Sorting<SortKey> | undefined
  children: ReactNode
}

function Heading<Row, SortKey extends string>({ column, sorting, children }: HeadingProps<Row, SortKey>) {
  const { title, heading, width, align, place, sort } = column
  // The button in the corner is no part of the column’s name.
  const props = { w: width, ta: align, ...(children && { 'aria-label': title, className: classes.withMenu }) }
  if (sort && sorting)
    return (
      <SortHeader
        {...props}
        label={title}
        direction={sorting.by === sort ? sorting.direction : undefined}
        onSort={() => sorting.onSort(sort)}
      >
        {children}
      </SortHeader>
    )
  return (
    <Table.Th {...props}>
      {heading ?? (place ? <VisuallyHidden>{title}</VisuallyHidden> : title)}
      {children}
    </Table.Th>
  )
}
