import { Table, type TableThProps, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import classes from './table.module.css'

export type SortDirection = 'asc' | 'desc'

interface Props extends TableThProps {
  label: string
  direction: SortDirection | undefined
  onSort: () => void
}

/** A column heading that sorts; `direction` is undefined while another column does. */
export function SortHeader({ label, direction, onSort, ...heading }: Props) {
  const ariaSort = direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : 'none'
  return (
    <Table.Th {...heading} aria-sort={ariaSort}>
      <UnstyledButton className={classes.sort} onClick={onSort}>
        {label}
        {direction === 'asc' && <IconArrowUp size={13} aria-hidden />}
        {direction === 'desc' && <IconArrowDown size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}
