import { Table, Text, UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import type { LogFilters } from '../../data/audit-log.ts'
import { exactTime } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import table from '../../ui/table.module.css'
import { TableFrame } from '../../ui/table-frame.tsx'
import { useRowKeys } from '../../ui/use-row-keys.ts'
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
export function EventTable({ events, isStale, onOpen, ...cells }: Props) {
  const body = useRowKeys<HTMLTableSectionElement>()
  // Rows that were there at first do not slide in.
  const [since] = useState(events[0]?.timestamp ?? '')
  return (
    <TableFrame label="Events" isStale={isStale}>
      <Table tabularNums miw={{ sm: 820 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={190}>Time</Table.Th>
            <Table.Th>Who</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>On what</Table.Th>
            <Table.Th w={110}>Result</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {events.map((event) => (
            <Table.Tr
              key={event.id}
              data-clickable
              data-fresh={event.timestamp > since || undefined}
              className={classes.row}
              onClick={() => onOpen(event.id)}
            >
              <Cells event={event} {...cells} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({
  event,
  onNarrow,
  hasOrganizations,
}: Omit<Props, 'events' | 'isStale' | 'onOpen'> & { event: AuditEventView }) {
  const { user, action, resource, ipAddress, orgName } = event
  const kind = resourceName(resource.type)
  const name = user.email || (user.role === 'api_key' && user.name)
  return (
    <>
      <Table.Td>
        <TextLink
          from="/audit"
          to="/audit"
          search={(old) => ({ ...old, event: event.id })}
          resetScroll={false}
          onClick={(click) => click.stopPropagation()}
          data-main
          c="inherit"
          size="sm"
          className={classes.time}
        >
          <time dateTime={event.timestamp}>{exactTime(event.timestamp)}</time>
        </TextLink>
      </Table.Td>
      <Table.Td data-label="Who" className={table.words}>
        {name ? (
          <Only of={user.name} onClick={() => onNarrow({ user: name })}>
            {user.name}
          </Only>
        ) : (
          user.name
        )}
        {ipAddress && (
          <Text size="xs" c="dimmed" className="mono">
            <Only of={ipAddress} onClick={() => onNarrow({ q: ipAddress })}>
              {ipAddress}
            </Only>
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="What">
        <Only of={`kind “${actionName(action)}”`} onClick={() => onNarrow({ action })}>
          {actionName(action)}
        </Only>
        <Text size="xs" c="dimmed" className="mono">
          {action}
        </Text>
      </Table.Td>
      <Table.Td data-label="On what">
        <Only of={resource.name || kind} onClick={() => onNarrow({ resource: resource.name || resource.type })}>
          {resource.name || kind}
        </Only>
        <Text size="xs" c="dimmed">
          {[resource.name && kind, hasOrganizations && orgName].filter(Boolean).join(' · ')}
        </Text>
      </Table.Td>
      <Table.Td data-label="Result">
        <EventResult result={event.result} />
      </Table.Td>
    </>
  )
}

function Only({ of, onClick, children }: { of: string; onClick: () => void; children: ReactNode }) {
  return (
    <UnstyledButton
      className={classes.only}
      title={`Only events of ${of}`}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
    >
      {children}
    </UnstyledButton>
  )
}
