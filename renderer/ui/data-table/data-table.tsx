import { Table, VisuallyHidden } from '@mantine/core'
import { Fragment, type Key, type ReactNode, useMemo, useState } from 'react'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import type { Column } from './column.tsx'
import { useHiddenColumns, withoutHidden } from './column-choice.ts'
import { ColumnMenu } from './column-menu.tsx'
import { TableFrame } from './table-frame.tsx'
import { type Sorting, TableHead } from './table-head.tsx'
import { PlainRow, type RowProps, rowProps } from './table-row.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { useRowsInTurn } from './use-rows-in-turn.ts'

export interface DataTableProps<Row, SortKey extends string = never> {
  /** Accessible name. */
  label: string
  rows: readonly Row[]
  rowKey: (row: Row, index: number) => Key
  /** The same array as long as they are the same columns, or all rows are rendered again. */
  columns: readonly Column<Row, SortKey>[]
  /** Pixels; in less space the table scrolls sideways. On a narrow screen its rows are cards. */
  minWidth: number
  /** The next page loads. */
  isStale?: boolean
  /** The server sorts. */
  sorting?: Sorting<SortKey>
  /** What a click on a row does; the row carries a link or button for it too. */
  onOpen?: (row: Row) => void
  /** Name under which the columns are kept that the user has hidden; without it, none can be hidden. */
  columnChoice?: string
  /** Rows stay rows on a narrow screen. */
  isNeverCards?: boolean
  /** Columns have the width they say, and long words end in dots. */
  hasFixedWidths?: boolean
  isDense?: boolean
  /** Rows of one line, below headings that stay in view. */
  isSingleLine?: boolean
  /** The element of a row, if it is more than a row. */
  renderRow?: (row: Row, props: RowProps) => ReactNode
  /** What stands below a row that is open. */
  renderDetail?: (row: Row) => ReactNode
}

/** A table of data, the same everywhere: frame, headings, rows that open, cards on a narrow screen, choice of columns. */
export function DataTable<Row, SortKey extends string = never>(props: DataTableProps<Row, SortKey>) {
  const isNarrow = useNarrowScreen()
  const columns = useMemo(
    () => props.columns.filter(({ only }) => only !== (isNarrow ? 'wide' : 'narrow')),
    [props.columns, isNarrow],
  )
  const { columnChoice } = props
  // A card has room for all columns.
  return isNarrow || columnChoice === undefined ? (
    <Framed {...props} columns={columns} isNarrow={isNarrow} />
  ) : (
    <WithColumnChoice {...props} columns={columns} columnChoice={columnChoice} />
  )
}

function WithColumnChoice<Row, SortKey extends string>(props: DataTableProps<Row, SortKey> & { columnChoice: string }) {
  const { columns, columnChoice } = props
  const { hidden, change } = useHiddenColumns(columnChoice, columns)
  const [said, setSaid] = useState('')
  const choose = (next: string[]) => {
    setSaid(columnsChange(columns, hidden, next))
    change(next)
  }
  return (
    <Framed
      {...props}
      columns={useMemo(() => withoutHidden(columns, hidden), [columns, hidden])}
      columnMenu={
        <>
          <ColumnMenu columns={columns} hidden={hidden} onChange={choose} />
          <VisuallyHidden role="status">{said}</VisuallyHidden>
        </>
      }
      isNarrow={false}
    />
  )
}

/** “Serial number shown”. */
function columnsChange(
  columns: readonly { id: string; title: string }[],
  before: readonly string[],
  after: readonly string[],
): string {
  const changed = columns.filter(({ id }) => before.includes(id) !== after.includes(id))
  return changed.map(({ id, title }) => `${title} ${after.includes(id) ? 'hidden' : 'shown'}`).join(', ')
}

type FramedProps<Row, SortKey extends string> = DataTableProps<Row, SortKey> & {
  isNarrow: boolean
  columnMenu?: ReactNode
}

function Framed<Row, SortKey extends string>(props: FramedProps<Row, SortKey>) {
  const { label, isStale, columns, isNarrow, minWidth, hasFixedWidths, isDense, isSingleLine, sorting, columnMenu } =
    props
  const leastWidth = hasFixedWidths ? Math.max(minWidth, widthOf(columns)) : minWidth
  return (
    <TableFrame label={label} isStale={isStale} isSingleLine={isSingleLine} isWide={leastWidth > minWidth}>
      {sorting && <SortStatus columns={columns} sorting={sorting} />}
      <Table
        aria-label={label}
        tabularNums
        miw={isNarrow ? undefined : leastWidth}
        layout={hasFixedWidths ? 'fixed' : undefined}
        verticalSpacing={isDense ? 6 : 8}
        horizontalSpacing={isSingleLine ? 8 : 'sm'}
      >
        <TableHead columns={columns} sorting={sorting} columnMenu={columnMenu} />
        <Body {...props} />
      </Table>
    </TableFrame>
  )
}

/** Pixels; more columns may be chosen than the usual width has room for. */
const widthOf = (columns: readonly Pick<Column<never>, 'width'>[]): number =>
  columns.reduce((sum, { width }) => sum + (typeof width === 'number' ? width : wordsWidth), 0)

/** What a column without a width needs, to be read and clicked. */
const wordsWidth = 100

interface SortStatusProps<Row, SortKey extends string> {
  columns: readonly Column<Row, SortKey>[]
  sorting: Sorting<SortKey>
}

/** Says another order to a screen reader, which does not notice that of the headings. */
function SortStatus<Row, SortKey extends string>({
  columns,
  sorting: { by, direction },
}: SortStatusProps<Row, SortKey>) {
  const [first] = useState(`${by} ${direction}`)
  const title = columns.find(({ sort }) => sort === by)?.title
  const isOther = first !== `${by} ${direction}`
  return (
    <VisuallyHidden role="status">
      {isOther && title && `Sorted by ${title}, ${direction === 'asc' ? 'ascending' : 'descending'}`}
    </VisuallyHidden>
  )
}

function Body<Row, SortKey extends string>(props: FramedProps<Row, SortKey>) {
  const { rowKey, columns, isNarrow, isNeverCards, isSingleLine, onOpen, renderRow, renderDetail } = props
  const { rows, missing } = useRowsInTurn(props.rows, rowKey, isSingleLine === true && !isNarrow)
  const rowKeys = useRowKeys<HTMLTableSectionElement>()
  const isCard = isNarrow && !isNeverCards
  return (
    <Table.Tbody {...rowKeys}>
      {rows.map((row, index) => {
        const detail = renderDetail?.(row)
        const part = { row, columns, isCard, onOpen }
        return (
          <Fragment key={rowKey(row, index)}>
            {renderRow ? renderRow(row, rowProps(part)) : <PlainRow {...part} />}
            {detail && <Detail columns={columns.length}>{detail}</Detail>}
          </Fragment>
        )
      })}
      {missing > 0 && <Room rows={missing} columns={columns.length} />}
    </Table.Tbody>
  )
}

/** Keeps the height of rows that are about to come, for the place where the page was scrolled to. */
const Room = ({ rows, columns }: { rows: number; columns: number }) => (
  <tr aria-hidden>
    <td colSpan={columns} style={{ height: rows * singleLineHeight }} />
  </tr>
)

/** With the line below it; as in the styles. */
const singleLineHeight = 41

function Detail({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <Table.Tr data-detail>
      <Table.Td colSpan={columns} p="md">
        {children}
      </Table.Td>
    </Table.Tr>
  )
}
