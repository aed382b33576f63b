import { Skeleton, Stack, Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { deviceName, osNames, osText } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { dash } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type SortDirection, SortHeader } from '../../ui/sort-header.tsx'
import classes from '../../ui/table.module.css'
import { useRowKeys } from '../../ui/use-row-keys.ts'
import { CpuAndMemoryBars } from './cpu-memory-bars.tsx'
import { type DeviceLocation, locationText, useDeviceLocations } from './use-device-locations.ts'

type Column = 'hostname' | 'lastSeen' | 'enrolled'

interface Props {
  devices: DeviceRow[]
  sort: Column
  dir: SortDirection
  onSort: (column: Column) => void
}

export function DeviceTable({ devices, sort, dir, onSort }: Props) {
  const locationOf = useDeviceLocations(devices)
  const rows = useRowKeys<HTMLTableSectionElement>()
  const header = (column: Column, label: string, width?: number | string) => (
    <SortHeader
      label={label}
      width={width}
      direction={sort === column ? dir : undefined}
      onSort={() => onSort(column)}
    />
  )
  return (
    <Table miw={980} tabularNums layout="fixed" verticalSpacing={8} horizontalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={132}>Status</Table.Th>
          {header('hostname', 'Name', '16%')}
          <Table.Th w="15%">Organization</Table.Th>
          <Table.Th>System</Table.Th>
          {header('lastSeen', 'Last seen', 132)}
          <Table.Th w={112}>CPU / memory</Table.Th>
          <Table.Th w={84}>Last user</Table.Th>
          {header('enrolled', 'Enrolled', 132)}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={rows}>
        {devices.map((device) => (
          <DeviceTableRow key={device.id} device={device} location={locationOf(device)} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function DeviceTableRow({ device, location }: { device: DeviceRow; location: DeviceLocation }) {
  const navigate = useNavigate()
  const name = deviceName(device)
  // For the mouse only; keyboard users have the link in the row.
  const open = (event: React.MouseEvent) => {
    if (event.defaultPrevented || (event.target as HTMLElement).closest('a')) return
    void navigate({ to: '/devices/$deviceId', params: { deviceId: device.id } })
  }
  return (
    <Table.Tr data-clickable onClick={open}>
      <Table.Td>
        <DeviceStatusDot status={device.status} />
      </Table.Td>
      <Table.Td>
        <Two
          first={
            <TextLink to="/devices/$deviceId" params={{ deviceId: device.id }} data-main fw={600} c="inherit" size="sm">
              {name}
            </TextLink>
          }
          second={name === device.hostname ? null : device.hostname}
        />
      </Table.Td>
      <Table.Td title={locationText(location)}>
        <span className={classes.two}>
          <span className={classes.one}>{location.organization[0]}</span>
          {[...location.organization.slice(1), ...location.site].map((line) => (
            <span key={line} className={classes.sub}>
              {line}
            </span>
          ))}
        </span>
      </Table.Td>
      <Table.Td title={osText(device)}>
        <Two first={osNames[device.osType]} second={device.osVersion} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={device.lastSeenAt} never="Never" />
      </Table.Td>
      <Table.Td>
        <CpuAndMemoryBars cpu={device.cpuPercent} memory={device.ramPercent} isCurrent={device.status === 'online'} />
      </Table.Td>
      <Table.Td>
        <Two first={device.lastUser ?? dash} />
      </Table.Td>
      <Table.Td>
        <Two
          first={<RelativeTime at={device.enrolledAt} />}
          second={device.agentVersion && `agent ${device.agentVersion}`}
        />
      </Table.Td>
    </Table.Tr>
  )
}

/** Two lines, each truncated at the end of the column. */
function Two({ first, second }: { first: ReactNode; second?: string | null }) {
  return (
    <span className={classes.two}>
      <span className={classes.one}>{first}</span>
      {second && <span className={classes.sub}>{second}</span>}
    </span>
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
