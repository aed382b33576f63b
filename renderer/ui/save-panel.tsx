import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useId } from 'react'
import { Panel } from './panel.tsx'

interface Props {
  title: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  /** Goes back to what is saved. */
  onDiscard: () => void
  isEditable: boolean
  isDirty: boolean
  isPending: boolean
  /** Error and fields. */
  children: ReactNode
}

/** A panel with a form of its own. */
export function SavePanel({ title, onSubmit, onDiscard, isEditable, isDirty, isPending, children }: Props) {
  const titleId = useId()
  return (
    <Panel title={title} titleId={titleId}>
      <form aria-label={title} data-read-only={!isEditable || undefined} onSubmit={onSubmit} noValidate>
        <Stack gap="sm">
          {children}
          {isEditable && (
            <Group gap="sm">
              {/* A page has several of them. */}
              <Button
                type="submit"
                variant="default"
                aria-describedby={titleId}
                loading={isPending}
                disabled={!isDirty}
              >
                Save
              </Button>
              {isDirty && (
                <Button variant="subtle" aria-describedby={titleId} disabled={isPending} onClick={onDiscard}>
                  Discard
                </Button>
              )}
              <Text size="sm" c="dimmed" role="status">
                {isDirty && 'Not saved yet'}
              </Text>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
