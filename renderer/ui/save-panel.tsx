import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Panel } from './panel.tsx'

interface Props {
  title: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  isEditable: boolean
  isDirty: boolean
  isPending: boolean
  /** Error and fields. */
  children: ReactNode
}

/** A panel with a form of its own. */
export function SavePanel({ title, onSubmit, isEditable, isDirty, isPending, children }: Props) {
  return (
    <Panel title={title}>
      <form aria-label={title} data-read-only={!isEditable || undefined} onSubmit={onSubmit} noValidate>
        <Stack gap="sm">
          {children}
          {isEditable && (
            <Group>
              <Button type="submit" variant="default" loading={isPending} disabled={!isDirty}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
