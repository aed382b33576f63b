import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { count } from '../../lib/format.ts'
import classes from './table.module.css'

interface Props {
  /** How many rows are selected; without any, there is no bar. */
  selected: number
  /** How many of them are on other pages. */
  elsewhere?: number
  onClear: () => void
  /** What can be done with them. */
  children: ReactNode
}

/** Stands below a table, at the lower edge of the window, so that no row moves when it appears. */
export function SelectionBar({ selected, elsewhere = 0, onClear, children }: Props) {
  return (
    <div role="toolbar" aria-label="Selected rows" className={classes.selection} hidden={selected === 0}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" role="status">
          {count(selected)} selected
          {elsewhere > 0 && (
            <Text span size="sm" c="dimmed">
              , {count(elsewhere)} on other pages
            </Text>
          )}
        </Text>
        <Group gap="xs">
          {children}
          <Button variant="subtle" color="gray" size="xs" aria-label="Clear selection" onClick={onClear}>
            Clear
          </Button>
        </Group>
      </Group>
    </div>
  )
}
