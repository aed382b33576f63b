import { Skeleton, Stack, Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { dash } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type SortDirection, SortHeader } from '../../ui/sort-header.tsx'
import classes from '../../ui/table.module.css'
import { useRowKeys } from '../../ui/use-row-keys.ts'
import { LoadPair } from './load-pair.tsx'
import { DeviceStatusDot } from './status.tsx'
import { nameOf, osText } from './words.ts'

type Column = 'hostname' | 'lastSeen' | 'enrolled'

interface Props {
  devices: DeviceRow[]
  sort: Column
  dir: SortDirection
  onSort: (column: Column) => void
}

export function DeviceTable({ devices, sort, dir, onSort }: Props) {
  const rows = useRowKeys<HTMLTableSectionElement>()
  const header = (column: Column, label: string) => (
    <SortHeader label={label} direction={sort === column ? dir : undefined} onSort={() => onSort(column)} />
  )
  return (
    <Table miw={960} tabularNums>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Status</Table.Th>
          {header('hostname', 'Name')}
          <Table.Th>Organization</Table.Th>
          <Table.Th>System</Table.Th>
          {header('lastSeen', 'Last seen')}
          <Table.Th>CPU / memory</Table.Th>
          <Table.Th>Last user</Table.Th>
          <Table.Th>Agent</Table.Th>
          {header('enrolled', 'Enrolled')}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={rows}>
        {devices.map((device) => (
          <DeviceTableRow key={device.id} device={device} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function DeviceTableRow({ device }: { device: DeviceRow }) {
  const navigate = useNavigate()
  const name = nameOf(device)
  // A convenience of the mouse: the keyboard has the link in the row.
  const open = (event: React.MouseEvent) => {
    if (event.defaultPrevented || (event.target as HTMLElement).closest('a')) return
    void navigate({ to: '/devices/$deviceId', params: { deviceId: device.id } })
  }
  return (
    <Table.Tr data-clickable onClick={open}>
      <Table.Td>
        <DeviceStatusDot status={device.status} />
      </Table.Td>
      <Table.Td maw={230}>
        <span className={classes.two}>
          <TextLink
            to="/devices/$deviceId"
            params={{ deviceId: device.id }}
            data-main
            fw={600}
            c="inherit"
            size="sm"
            truncate
          >
            {name}
          </TextLink>
          {name !== device.hostname && <span className={classes.sub}>{device.hostname}</span>}
        </span>
      </Table.Td>
      <Table.Td maw={190}>
        <span className={classes.two}>
          {device.orgName}
          <span className={classes.sub}>{device.siteName}</span>
        </span>
      </Table.Td>
      <Table.Td maw={190}>{osText(device)}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <RelativeTime at={device.lastSeenAt} never="Never" />
      </Table.Td>
      <Table.Td>
        <LoadPair cpu={device.cpuPercent} memory={device.ramPercent} isCurrent={device.status === 'online'} />
      </Table.Td>
      <Table.Td maw={140}>{device.lastUser ?? dash}</Table.Td>
      <Table.Td>{device.agentVersion ?? dash}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <RelativeTime at={device.enrolledAt} />
      </Table.Td>
    </Table.Tr>
  )
}

export function DeviceRowsLoading({ isNarrow }: { isNarrow: boolean }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading the devices">
      {Array.from({ length: 8 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={row} h={isNarrow ? 92 : 44} radius="md" />
      ))}
    </Stack>
  )
}
