import { Button, Group, Stack, Text } from '@mantine/core'
import { plural } from '../../lib/format.ts'
import { FormError } from '../../ui/form-error.tsx'
import classes from './matrix.module.css'

interface Props {
  changes: number
  /** Why it cannot be saved. */
  obstacle: string | null
  error: Error | null
  isPending: boolean
  onDiscard: () => void
  onSave: () => void
}

/** Stays visible while there is something to save. */
export function SaveBar({ changes, obstacle, error, isPending, onDiscard, onSave }: Props) {
  return (
    <section aria-label="Unsaved changes" className={classes.bar}>
      <Stack gap="xs">
        <FormError error={error} />
        <Group justify="space-between" gap="sm">
          <Text size="sm" aria-live="polite">
            {plural(changes, 'change')} not saved yet. {obstacle}
          </Text>
          <Group gap="xs">
            <Button variant="default" disabled={isPending} onClick={onDiscard}>
              Discard
            </Button>
            <Button loading={isPending} disabled={obstacle !== null} onClick={onSave}>
              Save
            </Button>
          </Group>
        </Group>
      </Stack>
    </section>
  )
}
