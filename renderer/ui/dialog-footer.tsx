import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './dialog-footer.module.css'

/** The buttons of a dialog; they stay in view while its content scrolls. */
export function DialogFooter({ otherwise, children }: { otherwise?: ReactNode; children: ReactNode }) {
  return (
    <Group className={classes.footer} justify={otherwise ? 'space-between' : 'flex-end'} gap="sm">
      {otherwise}
      {children}
    </Group>
  )
}
