import { Table, UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import type { LogFilters } from '../../data/audit-log.ts'
import { exactTime } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { actionName, resourceName } from './action-labels.ts'
import { EventResult } from './event-result.tsx'
import classes from './event-table.module.css'

interface Props {
  events: readonly AuditEventView[]
  isStale: boolean
  /** False where the list is about one organization. */
  hasOrganizations: boolean
  onOpen: (id: string) => void
  onNarrow: (change: LogFilters) => void
}

/** The table of events. A click on a cell filters by its value. */
export function EventTable({ events, isStale, hasOrganizations, onOpen, onNarrow }: Props) {
  // Rows that were there at first do not slide in.
  const [since] = useState(events[0]?.timestamp ?? '')
  const columns: Column<AuditEventView>[] = [
    { id: 'time', title: 'Time', width: 190, isFixed: true, cell: (event) => <Time event={event} /> },
    { id: 'who', title: 'Who', wrap: 'anywhere', cell: (event) => <Who event={event} onNarrow={onNarrow} /> },
    { id: 'what', title: 'What', cell: (event) => <What event={event} onNarrow={onNarrow} /> },
    {
      id: 'resource',
      title: 'Target',
      cell: (event) => <OnWhat event={event} hasOrganizations={hasOrganizations} onNarrow={onNarrow} />,
    },
    { id: 'result', title: 'Result', width: 110, cell: ({ result }) => <EventResult result={result} /> },
  ]
  return (
    <DataTable
      label="Events"
      rows={events}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={820}
      isStale={isStale}
      columnChoice="audit-log"
      onOpen={({ id }) => onOpen(id)}
      renderRow={(event, row) => (
        <Table.Tr {...row} data-fresh={event.timestamp > since || undefined} className={classes.row} />
      )}
    />
  )
}

interface CellProps {
  event: AuditEventView
  onNarrow: Props['onNarrow']
}

function Time({ event: { id, timestamp } }: Pick<CellProps, 'event'>) {
  return (
    <TextLink
      from="/audit"
      to="/audit"
      search={(old) => ({ ...old, event: id })}
      resetScroll={false}
      data-main
      c="inherit"
      size="sm"
      className={classes.time}
    >
      <time dateTime={timestamp}>{exactTime(timestamp)}</time>
    </TextLink>
  )
}

function Who({ event: { user, ipAddress }, onNarrow }: CellProps) {
  const name = user.email || (user.role === 'api_key' && user.name)
  return (
    <>
      {name ? (
        <Only of={user.name} onClick={() => onNarrow({ user: name })}>
          {user.name}
        </Only>
      ) : (
        user.name
      )}
      {ipAddress && (
        <SecondLine isMono>
          <Only of={ipAddress} onClick={() => onNarrow({ q: ipAddress })}>
            {ipAddress}
          </Only>
        </SecondLine>
      )}
    </>
  )
}

function What({ event: { action }, onNarrow }: CellProps) {
  return (
    <>
      <Only of={`target “${actionName(action)}”`} onClick={() => onNarrow({ action })}>
        {actionName(action)}
      </Only>
      <SecondLine isMono>{action}</SecondLine>
    </>
  )
}

function OnWhat({ event, hasOrganizations, onNarrow }: CellProps & Pick<Props, 'hasOrganizations'>) {
  const { resource, orgName } = event
  const kind = resourceName(resource.type)
  return (
    <>
      <Only of={resource.name || kind} onClick={() => onNarrow({ resource: resource.name || resource.type })}>
        {resource.name || kind}
      </Only>
      <SecondLine>{[resource.name && kind, hasOrganizations && orgName].filter(Boolean).join(' · ')}</SecondLine>
    </>
  )
}

function Only({ of, onClick, children }: { of: string; onClick: () => void; children: ReactNode }) {
  return (
    <UnstyledButton className={classes.only} title={`Only events of ${of}`} onClick={onClick}>
      {children}
    </UnstyledButton>
  )
}
