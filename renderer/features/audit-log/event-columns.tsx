import { Button, Group, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { AuditEntryView, AuditEventView } from '../../../shared/api/audit-log.ts'
import type { LogFilters } from '../../data/audit-log.ts'
import { count, exactTime, plural, shortSpan, shortTime } from '../../lib/format.ts'
import { useNow } from '../../lib/now.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { entryName, resourceName } from './action-labels.ts'
import { EventResult } from './event-result.tsx'
import classes from './event-table.module.css'

/** An entry, or one of the events that an open entry was folded from. */
export interface EventRow {
  event: AuditEventView
  folded: AuditEntryView['folded']
  isOpen: boolean
  /** The id of the entry. */
  entryId: string
  isPart: boolean
}

interface Actions {
  onNarrow: (change: LogFilters) => void
  onToggle: (id: string) => void
}

interface CellProps extends Actions {
  row: EventRow
}

/** On a narrow screen an event is a card: what happened, and below it the rest. */
export const columnsFor = (actions: Actions): Column<EventRow>[] => [
  {
    id: 'time',
    title: 'Time',
    width: 138,
    isFixed: true,
    only: 'wide',
    tooltip: spanOf,
    cell: (row) => <Time row={row} />,
  },
  {
    id: 'who',
    title: 'Who',
    width: 140,
    only: 'wide',
    tooltip: ({ event: { user, ipAddress } }) => [user.name, ipAddress].filter(Boolean).join(' · '),
    cell: (row) => <Who row={row} {...actions} />,
  },
  {
    id: 'what',
    title: 'Action',
    isFixed: true,
    tooltip: ({ event }) => event.action,
    cell: (row) => <What row={row} {...actions} />,
  },
  {
    id: 'resource',
    title: 'Target',
    width: 190,
    only: 'wide',
    tooltip: ({ event: { resource } }) => [resourceName(resource.type), resource.name].filter(Boolean).join(': '),
    cell: (row) => <Target row={row} {...actions} />,
  },
  {
    id: 'organization',
    title: 'Organization',
    width: 130,
    only: 'wide',
    tooltip: organizationOf,
    cell: organizationOf,
  },
  {
    id: 'result',
    title: 'Result',
    width: 98,
    only: 'wide',
    cell: ({ event }) => <EventResult result={event.result} />,
  },
  {
    id: 'summary',
    title: 'Summary',
    place: 'bottom',
    only: 'narrow',
    cell: (row) => (
      <>
        <Target row={row} {...actions} />
        <SecondLine>
          <Time row={row} /> · {row.event.user.name}
          {organizationOf(row) && ` · ${organizationOf(row)}`}
        </SecondLine>
        {row.event.result !== 'success' && <EventResult result={row.event.result} />}
      </>
    ),
  },
]

const spanOf = ({ event: { timestamp }, folded }: EventRow): string =>
  folded
    ? `${count(folded.count)} events from ${exactTime(folded.since)} to ${exactTime(timestamp)}`
    : exactTime(timestamp)

const organizationOf = ({ event: { orgName }, folded }: EventRow): string | undefined =>
  folded && folded.organizations > 1 ? plural(folded.organizations, 'organization') : (orgName ?? undefined)

function Time({ row: { event, folded } }: Pick<CellProps, 'row'>) {
  const now = useNow()
  return (
    <time dateTime={event.timestamp} className={classes.time}>
      {folded ? shortSpan(folded.since, event.timestamp, now) : shortTime(event.timestamp, now)}
    </time>
  )
}

function Who({ row: { event }, onNarrow }: CellProps) {
  const { user } = event
  const name = user.email || (user.role === 'api_key' && user.name)
  return name ? (
    <Only of={user.name} onClick={() => onNarrow({ user: name })}>
      {user.name}
    </Only>
  ) : (
    user.name
  )
}

function What({ row, onToggle }: CellProps) {
  const { event, folded, isOpen } = row
  return (
    <Group gap={8} wrap="nowrap">
      <TextLink
        from="/audit"
        to="/audit"
        search={(old) => ({ ...old, event: event.id })}
        resetScroll={false}
        data-main
        c="inherit"
        inherit
        className={classes.only}
      >
        {entryName({ ...event, folded })}
      </TextLink>
      {folded && (
        <Button
          size="compact-xs"
          variant="default"
          className={classes.unfold}
          aria-expanded={isOpen}
          title={spanOf(row)}
          rightSection={<IconChevronDown size={12} className={classes.chevron} data-open={isOpen || undefined} />}
          onClick={() => onToggle(event.id)}
        >
          {folded.as === 'import' ? 'Rows' : `${count(folded.count)} times`}
        </Button>
      )}
    </Group>
  )
}

function Target({ row: { event, folded }, onNarrow }: CellProps) {
  const { resource } = event
  const kind = resourceName(resource.type)
  if (folded?.as === 'import') return `${kind}s`
  return (
    <Only of={resource.name || kind} onClick={() => onNarrow({ resource: resource.name || resource.type })}>
      {resource.name || kind}
    </Only>
  )
}

/** On a card it is text only: a tap anywhere on it opens the event. */
function Only({ of, onClick, children }: { of: string; onClick: () => void; children: ReactNode }) {
  if (useNarrowScreen()) return <span className={classes.clipped}>{children}</span>
  return (
    <UnstyledButton className={classes.only} title={`Only events of ${of}`} onClick={onClick}>
      {children}
    </UnstyledButton>
  )
}
