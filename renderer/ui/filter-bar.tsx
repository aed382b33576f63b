import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  /** Accessible name of the fields. */
  label: string
  /** Absent while nothing is filtered. */
  onClear?: (() => void) | undefined
  /** Buttons at the other end. */
  actions?: ReactNode
  /** The fields. */
  children: ReactNode
}

/** The line above a list: what it is searched and filtered by. */
export function FilterBar({ label, onClear, actions, children }: Props) {
  return (
    <Group mb="md" gap="sm" justify="space-between" align="flex-start">
      <Group gap="xs" flex="1 1 300px" role="search" aria-label={label}>
        {children}
        {onClear && (
          <Button variant="subtle" color="gray" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </Group>
      {actions}
    </Group>
  )
}
