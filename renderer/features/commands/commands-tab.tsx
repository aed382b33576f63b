import { ActionIcon, Button, Table, VisuallyHidden } from '@mantine/core'
import { IconChevronRight, IconTerminal2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { commandsQuery } from '../../data/commands.ts'
import { duration } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
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
      title="Nothing was run on this device yet"
      action={
        <Button variant="default" onClick={() => navigate({ search: (old) => ({ ...old, panel: 'script' }) })}>
          Run script
        </Button>
      }
    >
      Scripts, reboots and refreshes are listed here with their output.
    </EmptyList>
  )
  return (
    <Listed of={commands} empty={nothing}>
      {({ data, pagination }) => (
        <>
          <TableFrame label="Commands" isStale={commands.isPlaceholderData}>
            <Table tabularNums miw={{ sm: 640 }}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w={40}>
                    <VisuallyHidden>Details</VisuallyHidden>
                  </Table.Th>
                  <Table.Th>Command</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>By</Table.Th>
                  <Table.Th>When</Table.Th>
                  <Table.Th>Took</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((command) => (
                  <CommandRow
                    key={command.id}
                    command={command}
                    isOpen={command.id === openId}
                    onToggle={() => toggle(command.id)}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </TableFrame>
          <Pager {...pagination} what="command" onPage={setPage} />
        </>
      )}
    </Listed>
  )
}

function CommandRow(props: { command: DeviceCommand; isOpen: boolean; onToggle: () => void }) {
  const { command, isOpen, onToggle } = props
  const title = commandTitle(command)
  return (
    <Fragment>
      <Table.Tr data-clickable onClick={onToggle}>
        <Table.Td data-corner pr={0}>
          <ActionIcon
            size="sm"
            aria-expanded={isOpen}
            aria-label={`Output of ${title}`}
            onClick={(event) => {
              event.stopPropagation()
              onToggle()
            }}
          >
            <IconChevronRight size={16} className={classes.chevron} data-open={isOpen || undefined} />
          </ActionIcon>
        </Table.Td>
        <Table.Td fw={500}>{title}</Table.Td>
        <Table.Td data-label="State">
          <CommandStatus command={command} />
        </Table.Td>
        <Table.Td data-label="By">{command.createdByName ?? 'Homeport'}</Table.Td>
        <Table.Td data-label="When" style={{ whiteSpace: 'nowrap' }}>
          <RelativeTime at={command.createdAt} />
        </Table.Td>
        <Table.Td data-label="Took">{duration(commandDurationMs(command))}</Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr className={classes.detail}>
          <Table.Td colSpan={6} p="md">
            <CommandDetail deviceId={command.deviceId} commandId={command.id} />
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  )
}
