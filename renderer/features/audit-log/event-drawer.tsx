import { Alert, Button, Code, Drawer, Group, Kbd, Stack, Title } from '@mantine/core'
import { IconFilter, IconShieldExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { eventQuery, type LogFilters } from '../../data/audit-log.ts'
import { areLetterKeysOn } from '../../lib/letter-keys.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { actionName, fieldName } from './action-labels.ts'
import classes from './change-table.module.css'
import { ChangeTable } from './change-table.tsx'
import { changesOf, otherDetails } from './changes.ts'
import { EventCommand } from './event-command.tsx'
import { EventFacts } from './event-facts.tsx'
import { eventFaultTexts } from './fault-labels.ts'
import { useFaultOf } from './use-chain.ts'

interface Props {
  id: string | undefined
  /** The list that the event was opened from, newest first. */
  events: readonly AuditEventView[]
  onOpen: (id: string | undefined) => void
  onNarrow: (change: LogFilters) => void
}

/** One event in full, with buttons for the next and previous one. */
export function EventDrawer({ id, events, onOpen, onNarrow }: Props) {
  const at = events.findIndex((event) => event.id === id)
  const [newer, older] = at === -1 ? [] : [events[at - 1]?.id, events[at + 1]?.id]
  const event = useQuery({ ...eventQuery(id ?? ''), enabled: id !== undefined, initialData: events[at] })
  const byKey = (press: KeyboardEvent) => {
    if (!areLetterKeysOn() || !['j', 'k'].includes(press.key) || press.ctrlKey || press.metaKey || press.altKey) return
    // The table behind the drawer listens to the same keys.
    press.stopPropagation()
    const next = press.key === 'j' ? older : newer
    if (next) onOpen(next)
  }
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => onOpen(undefined)}
      position="right"
      size={640}
      title={event.data ? actionName(event.data.action) : 'Event'}
      onKeyDown={byKey}
    >
      <Stack>
        {at !== -1 && (
          <Group gap="xs">
            <Turn label="Newer" letter="k" to={newer} onOpen={onOpen} />
            <Turn label="Older" letter="j" to={older} onOpen={onOpen} />
          </Group>
        )}
        <Loaded of={event}>
          {(shown) => (
            <>
              <Details event={shown} />
              <Alike event={shown} onNarrow={onNarrow} />
              <Record event={shown} />
            </>
          )}
        </Loaded>
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

/** Leads to the other events of the same kind, person or target. */
function Alike({ event: { action, user, resource }, onNarrow }: Pick<Props, 'onNarrow'> & { event: AuditEventView }) {
  const who = user.email || (user.role === 'api_key' && user.name)
  return (
    <Stack gap={6}>
      <Title order={3} size="h6">
        Show only
      </Title>
      <Group gap="xs">
        <Only onClick={() => onNarrow({ action })}>{actionName(action)}</Only>
        {who && <Only onClick={() => onNarrow({ user: who })}>{user.name}</Only>}
        {resource.name && <Only onClick={() => onNarrow({ resource: resource.name })}>{resource.name}</Only>}
      </Group>
    </Stack>
  )
}

const Only = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Button size="compact-sm" variant="default" maw="100%" leftSection={<IconFilter size={14} />} onClick={onClick}>
    {children}
  </Button>
)

function Details({ event }: { event: AuditEventView }) {
  const details = event.details ?? {}
  const [changes, others] = [changesOf(details), otherDetails(details)]
  const fault = useFaultOf(event)
  return (
    <>
      {fault && (
        <Alert variant="light" color="red" icon={<IconShieldExclamation />} title={eventFaultTexts[fault]}>
          Don’t rely on what this event says.
        </Alert>
      )}
      <EventFacts event={event} />
      <EventCommand event={event} />
      {others.length > 0 && (
        <Facts>
          {others.map(([name, lines]) => (
            <Fact key={name} name={fieldName(name)}>
              {lines.join(', ')}
            </Fact>
          ))}
        </Facts>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
    </>
  )
}

function Record({ event }: { event: AuditEventView }) {
  const fault = useFaultOf(event)
  // That a list shows it together with others is no part of it.
  const raw = JSON.stringify({ ...event, folded: undefined }, null, 2)
  return (
    <>
      <Group justify="space-between">
        <Title order={3} size="h6">
          {fault ? 'As it is in the database now' : 'As recorded'}
        </Title>
        <CopyButton text={raw} size="xs" />
      </Group>
      <Code block className={classes.raw}>
        {raw}
      </Code>
    </>
  )
}
