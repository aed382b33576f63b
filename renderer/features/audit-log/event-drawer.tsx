import { Button, Code, Drawer, Group, Kbd, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { wordsOf } from './action-words.ts'
import classes from './change-table.module.css'
import { ChangeTable } from './change-table.tsx'
import { changesOf } from './changes.ts'
import { eventQuery } from './data.ts'
import { EventFacts } from './event-facts.tsx'

interface Props {
  id: string | undefined
  /** The list it was opened from, newest first. */
  events: readonly AuditEventView[]
  onOpen: (id: string | undefined) => void
}

/** All there is of one event, and the way to those before and after it. */
export function EventDrawer({ id, events, onOpen }: Props) {
  const at = events.findIndex((event) => event.id === id)
  const [newer, older] = at === -1 ? [] : [events[at - 1]?.id, events[at + 1]?.id]
  const event = useQuery({ ...eventQuery(id ?? ''), enabled: id !== undefined, initialData: events[at] })
  const byKey = (press: KeyboardEvent) => {
    const next = { j: older, k: newer }[press.key]
    if (!next || press.ctrlKey || press.metaKey || press.altKey) return
    // Behind the drawer the same keys move among the rows.
    press.stopPropagation()
    onOpen(next)
  }
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => onOpen(undefined)}
      position="right"
      size={640}
      title={event.data ? wordsOf(event.data.action) : 'Event'}
      onKeyDown={byKey}
    >
      <Stack>
        {at !== -1 && (
          <Group gap="xs">
            <Turn label="Newer" letter="k" to={newer} onOpen={onOpen} />
            <Turn label="Older" letter="j" to={older} onOpen={onOpen} />
          </Group>
        )}
        <Loaded of={event}>{(shown) => <Details event={shown} />}</Loaded>
      </Stack>
    </Drawer>
  )
}

interface TurnProps extends Pick<Props, 'onOpen'> {
  label: string
  letter: string
  to: string | undefined
}

function Turn({ label, letter, to, onOpen }: TurnProps) {
  return (
    <Button
      size="xs"
      variant="default"
      disabled={!to}
      aria-keyshortcuts={letter}
      rightSection={
        <Kbd size="xs" aria-hidden>
          {letter}
        </Kbd>
      }
      onClick={() => onOpen(to)}
    >
      {label}
    </Button>
  )
}

function Details({ event }: { event: AuditEventView }) {
  const changes = changesOf(event.details ?? {})
  const raw = JSON.stringify(event, null, 2)
  return (
    <>
      <EventFacts event={event} />
      {changes.length > 0 && <ChangeTable changes={changes} />}
      <Group justify="space-between">
        <Title order={3} size="h6">
          As it was recorded
        </Title>
        <CopyButton text={raw} size="xs" />
      </Group>
      <Code block className={classes.raw}>
        {raw}
      </Code>
    </>
  )
}
