import { ActionIcon, Button } from '@mantine/core'
import { IconChevronRight, IconTerminal2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { commandsQuery } from '../../data/commands.ts'
import { commandDurationMs, commandTitle } from '../../domain/commands/command-labels.ts'
import { CommandStatus } from '../../domain/commands/command-status.tsx'
import { CommandTitle } from '../../domain/commands/command-title.tsx'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'
import { duration } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { CommandDetail } from './command-detail.tsx'
import { CommandLoaded } from './command-loaded.tsx'
import classes from './commands-tab.module.css'
import { LinkedCommand } from './linked-command.tsx'

export function CommandsTab({ device }: { device: DeviceDetail }) {
  const { page = 1, command: openId } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const { mayNotScript } = useDeviceCommands(device)
  const commands = useQuery(commandsQuery(device.id, page))
  const isElsewhere = openId !== undefined && commands.data?.data.every(({ id }) => id !== openId)
  const setPage = (next?: number) => navigate({ search: (old) => ({ ...old, command: undefined, page: next }) })
  const toggle = (id: string) =>
    navigate({
      search: (old) => ({ ...old, command: id === openId ? undefined : id }),
      replace: true,
      resetScroll: false,
    })
  const nothing = (
    <EmptyList
      icon={<IconTerminal2 stroke={1.5} />}
      title="No commands yet"
      action={
        !mayNotScript && (
          <Button variant="default" onClick={() => navigate({ search: (old) => ({ ...old, panel: 'script' }) })}>
            Run script
          </Button>
        )
      }
    >
      Scripts, restarts and inventory refreshes appear here with their output.
    </EmptyList>
  )
  return (
    <>
      {isElsewhere && <LinkedCommand device={device} commandId={openId} onClose={() => toggle(openId)} />}
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
                width: 46,
                place: 'corner',
                cell: (command) => (
                  <OutputButton command={command} isOpen={command.id === openId} onClick={() => toggle(command.id)} />
                ),
              },
              ...columns,
            ]}
            minWidth={720}
            isStale={isStale}
            isSingleLine
            hasFixedWidths
            onOpen={({ id }) => toggle(id)}
            renderDetail={({ id }) =>
              id === openId && (
                <CommandLoaded deviceId={device.id} commandId={id}>
                  {(command) => <CommandDetail device={device} command={command} />}
                </CommandLoaded>
              )
            }
          />
        )}
      </PagedList>
    </>
  )
}

const columns: Column<DeviceCommand>[] = [
  { id: 'command', title: 'Command', cell: (command) => <CommandTitle command={command} /> },
  { id: 'state', title: 'Status', only: 'wide', width: 210, cell: (command) => <CommandStatus command={command} /> },
  { id: 'creator', title: 'By', only: 'wide', width: 140, tooltip: byName, cell: byName },
  { id: 'when', title: 'When', only: 'wide', width: 130, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { id: 'took', title: 'Duration', only: 'wide', width: 90, cell: tookOf },
  {
    id: 'summary',
    title: 'Summary',
    only: 'narrow',
    place: 'bottom',
    cell: (command) => <Summary command={command} />,
  },
]

/** What a wide screen has in columns, in two lines. */
function Summary({ command }: { command: DeviceCommand }) {
  return (
    <>
      <CommandStatus command={command} />
      <SecondLine>
        {byName(command)} · <RelativeTime at={command.createdAt} /> · {tookOf(command)}
      </SecondLine>
    </>
  )
}

function tookOf(command: DeviceCommand): string {
  return duration(commandDurationMs(command))
}

function byName({ createdByName }: DeviceCommand): string {
  return createdByName ?? 'Homeport'
}

function OutputButton(props: { command: DeviceCommand; isOpen: boolean; onClick: () => void }) {
  const { command, isOpen, onClick } = props
  const button = useRef<HTMLButtonElement>(null)
  // A link may have led here, whose reader is told so by the focus.
  useEffect(() => {
    if (isOpen) button.current?.focus()
  }, [isOpen])
  return (
    <ActionIcon
      ref={button}
      size="sm"
      aria-expanded={isOpen}
      aria-label={`Details of ${commandTitle(command)}`}
      onClick={onClick}
    >
      <IconChevronRight size={16} className={classes.chevron} data-open={isOpen || undefined} />
    </ActionIcon>
  )
}
