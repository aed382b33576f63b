import { Skeleton, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import type { DeviceQuery } from '../../data/devices.ts'
import { deviceName, osNames, osText } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { dash } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import classes from '../../ui/data-table/table.module.css'
import type { Sorting } from '../../ui/data-table/table-head.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CpuAndMemoryBars } from './cpu-memory-bars.tsx'
import { type DeviceLocation, locationText, useDeviceLocations } from './use-device-locations.ts'

type SortKey = NonNullable<DeviceQuery['sort']>

interface Props {
  devices: DeviceRow[]
  isStale: boolean
  sorting: Sorting<SortKey>
}

export function DeviceTable({ devices, isStale, sorting }: Props) {
  const locationOf = useDeviceLocations(devices)
  const navigate = useNavigate()
  return (
    <DataTable
      label="Devices"
      rows={devices}
      rowKey={({ id }) => id}
      columns={columnsFor(locationOf)}
      minWidth={980}
      isStale={isStale}
      sorting={sorting}
      columnChoice="devices"
      hasFixedWidths
      onOpen={({ id }) => navigate({ to: '/devices/$deviceId', params: { deviceId: id } })}
    />
  )
}

const columnsFor = (locationOf: (device: DeviceRow) => DeviceLocation): Column<DeviceRow, SortKey>[] => [
  { id: 'status', title: 'Status', width: 132, cell: ({ status }) => <DeviceStatusDot status={status} /> },
  {
    id: 'name',
    title: 'Name',
    width: '16%',
    sort: 'hostname',
    isFixed: true,
    cell: (device) => <Name device={device} />,
  },
  {
    id: 'organization',
    title: 'Organization',
    width: '15%',
    tooltip: (device) => locationText(locationOf(device)),
    cell: (device) => <Location location={locationOf(device)} />,
  },
  {
    id: 'system',
    title: 'System',
    tooltip: osText,
    cell: (device) => <Two first={osNames[device.osType]} second={device.osVersion} />,
  },
  {
    id: 'last-seen',
    title: 'Last seen',
    width: 132,
    sort: 'lastSeen',
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} never="Never" />,
  },
  {
    id: 'load',
    title: 'CPU / memory',
    width: 108,
    cell: ({ cpuPercent, ramPercent, status }) => (
      <CpuAndMemoryBars cpu={cpuPercent} memory={ramPercent} isCurrent={status === 'online'} />
    ),
  },
  { id: 'user', title: 'Last user', width: 90, cell: ({ lastUser }) => <Two first={lastUser ?? dash} /> },
  {
    id: 'enrolled',
    title: 'Enrolled',
    width: 132,
    sort: 'enrolled',
    cell: ({ enrolledAt, agentVersion }) => (
      <Two first={<RelativeTime at={enrolledAt} />} second={agentVersion && `agent ${agentVersion}`} />
    ),
  },
]

function Name({ device }: { device: DeviceRow }) {
  const name = deviceName(device)
  return (
    <Two
      first={
        <TextLink to="/devices/$deviceId" params={{ deviceId: device.id }} data-main fw={600} c="inherit" size="sm">
          {name}
        </TextLink>
      }
      second={name === device.hostname ? null : device.hostname}
    />
  )
}

function Location({ location: { organization, site } }: { location: DeviceLocation }) {
  return (
    <span className={classes.two}>
      <span className={classes.one}>{organization[0]}</span>
      {[...organization.slice(1), ...site].map((line) => (
        <span key={line} className={classes.sub}>
          {line}
        </span>
      ))}
    </span>
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
    <Stack gap="xs" role="status" aria-label="Loading devices">
      {Array.from({ length: 8 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={row} h={isNarrow ? 92 : 44} radius="md" />
      ))}
    </Stack>
  )
}
