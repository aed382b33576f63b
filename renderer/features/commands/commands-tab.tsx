import { ActionIcon, Button } from '@mantine/core'
import { IconChevronRight, IconTerminal2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { commandsQuery } from '../../data/commands.ts'
import { duration } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { CommandDetail } from './command-detail.tsx'
import { commandDurationMs, commandTitle } from './command-labels.ts'
import { CommandStatus } from './command-status.tsx'
import classes from './commands-tab.module.css'

export function CommandsTab({ deviceId }: { deviceId: string }) {
  const { page = 1, command: openId } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const commands = useQuery(commandsQuery(deviceId, page))
  const setPage = (next?: number) => navigate({ search: (old) => ({ ...old, command: undefined, page: next }) })
  const toggle = (id: string) =>
    navigate({ search: (old) => ({ ...old, command: id === openId ? undefined : id }), replace: true })
  const nothing = (
    <EmptyList
      icon={<IconTerminal2 stroke={1.5} />}
      title="No commands yet"
      action={
        <Button variant="default" onClick={() => navigate({ search: (old) => ({ ...old, panel: 'script' }) })}>
          Run script
        </Button>
      }
    >
      Scripts, reboots and inventory refreshes appear here with their output.
    </EmptyList>
  )
  return (
    <PagedList of={commands} empty={nothing} what="command" onPage={setPage}>
      {(rows, isStale) => (
        <DataTable
          label="Commands"
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            {
              id: 'details',
              title: 'Details',
              width: 40,
              place: 'corner',
              cell: (command) => (
                <OutputButton command={command} isOpen={command.id === openId} onClick={() => toggle(command.id)} />
              ),
            },
            ...columns,
          ]}
          minWidth={640}
          isStale={isStale}
          onOpen={({ id }) => toggle(id)}
          renderDetail={({ id }) => id === openId && <CommandDetail deviceId={deviceId} commandId={id} />}
        />
      )}
    </PagedList>
  )
}

const columns: Column<DeviceCommand>[] = [
  { id: 'command', title: 'Command', look: 'strong', cell: commandTitle },
  { id: 'state', title: 'Status', cell: (command) => <CommandStatus command={command} /> },
  { id: 'creator', title: 'By', cell: ({ createdByName }) => createdByName ?? 'Homeport' },
  { id: 'when', title: 'When', wrap: 'never', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { id: 'took', title: 'Duration', cell: (command) => duration(commandDurationMs(command)) },
]

function OutputButton(props: { command: DeviceCommand; isOpen: boolean; onClick: () => void }) {
  const { command, isOpen, onClick } = props
  return (
    <ActionIcon size="sm" aria-expanded={isOpen} aria-label={`Output of ${commandTitle(command)}`} onClick={onClick}>
      <IconChevronRight size={16} className={classes.chevron} data-open={isOpen || undefined} />
    </ActionIcon>
  )
}
