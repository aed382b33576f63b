import type { ReactNode } from 'react'

/** A column of a table; on a narrow screen a line of each row’s card. */
export interface Column<Row, SortKey extends string = never> {
  id: string
  title: string
  /** In place of the title, where there is more to it than a text. */
  heading?: ReactNode
  cell: (row: Row) => ReactNode
  /** Pixels or percent. */
  width?: number | string
  /** Pixels; on a narrow screen without effect. */
  maxWidth?: number
  align?: 'right' | 'center'
  look?: 'strong' | 'dimmed'
  /** Whether words may break anywhere, or never. */
  wrap?: 'anywhere' | 'never'
  /** Shown while the mouse is over the cell. */
  tooltip?: (row: Row) => string | undefined
  /** What the server calls the column in the order of a list; absent if it cannot be sorted by. */
  sort?: SortKey
  /** Cannot be hidden by the user. */
  isFixed?: boolean
  /** Hidden until the user chooses to see it. */
  isHiddenFirst?: boolean
  /** Absent on other screens. */
  only?: 'wide' | 'narrow'
  /** Name on a card, if it differs from the title. */
  cardTitle?: string
  /** Where a cell without a name is on a card; its title is only read out. */
  place?: 'start' | 'corner' | 'bottom'
}

/** The last column: the menu of each row. */
export const menuColumn = <Row,>(cell: (row: Row) => ReactNode): Column<Row> => ({
  id: 'actions',
  title: 'Actions',
  cell,
  width: 50,
  isFixed: true,
  place: 'corner',
})

/** The last column: a button in each row. */
export const buttonColumn = <Row,>(cell: (row: Row) => ReactNode): Column<Row> => ({
  ...menuColumn(cell),
  width: 110,
  align: 'right',
  place: 'bottom',
})
