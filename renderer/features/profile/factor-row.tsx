import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './factor-row.module.css'

/** One row of the list of factors. */
export function FactorRow(props: { icon: ReactNode; name: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <li className={classes.factor}>
      <span className={classes.icon} aria-hidden>
        {props.icon}
      </span>
      <div className={classes.words}>
        <Text size="sm" fw={500}>
          {props.name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {props.children}
        </Text>
      </div>
      {props.actions && (
        <Group gap="xs" wrap="nowrap">
          {props.actions}
        </Group>
      )}
    </li>
  )
}
