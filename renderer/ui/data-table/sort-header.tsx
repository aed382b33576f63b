import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import classes from './table.module.css'

export type SortDirection = 'asc' | 'desc'

interface Props {
  label: string
  direction: SortDirection | undefined
  width?: number | string
  onSort: () => void
}

/** A column heading that sorts; `direction` is undefined while another column does. */
export function SortHeader({ label, direction, width, onSort }: Props) {
  const ariaSort = direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : 'none'
  return (
    <Table.Th aria-sort={ariaSort} w={width}>
      <UnstyledButton className={classes.sort} onClick={onSort}>
        {label}
        {direction === 'asc' && <IconArrowUp size={13} aria-hidden />}
        {direction === 'desc' && <IconArrowDown size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}
