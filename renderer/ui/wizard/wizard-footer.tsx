import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './wizard-footer.module.css'

interface Props {
  onBack: () => void
  /** Next to the button; on a phone above both buttons, so that they stay next to each other. */
  note: ReactNode
  /** The button that goes on. */
  children: ReactNode
}

/** The end of a step: back, and on to the next one. */
export function WizardFooter({ onBack, note, children }: Props) {
  return (
    <Group gap="sm" className={classes.end}>
      <Button variant="default" onClick={onBack}>
        Back
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite" className={classes.note}>
        {note}
      </Text>
      {children}
    </Group>
  )
}
