import { Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './panel.module.css'

/** A bordered area with a heading. */
export function Panel({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.panel}>
      <Group justify="space-between" mb="sm" gap="sm" mih={30}>
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </div>
  )
}
