import { Skeleton, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { ListedDevice } from '../../../shared/api/devices.ts'
import { diskFullPercent } from '../../../shared/api/devices.ts'
import type { DeviceQuery } from '../../data/devices.ts'
import { osNames, osText, osVersionText } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { OsIcon } from '../../domain/devices/os-icon.tsx'
import { dash, percent } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { useHiddenColumns } from '../../ui/data-table/column-choice.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import type { Sorting } from '../../ui/data-table/table-head.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CpuAndMemoryBars } from './cpu-memory-bars.tsx'
import { DeviceRowLink, useDeviceHref } from './device-row-link.tsx'
import classes from './device-table.module.css'
import type { Presence } from './presence-bars.ts'
import { PresenceStrip } from './presence-strip.tsx'
import { type DeviceLocation, locationText, useDeviceLocations } from './use-device-locations.ts'
import { usePresence } from './use-presence.ts'

type SortKey = NonNullable<DeviceQuery['sort']>

interface Props {
  devices: ListedDevice[]
  isStale: boolean
  /** False where all devices are of one organization. */
  hasOrganizations: boolean
  sorting: Sorting<SortKey>
  /** The column that selects. */
  selection: Column<ListedDevice>
}

export function DeviceTable({ devices, isStale, hasOrganizations, sorting, selection }: Props) {
  const locationOf = useDeviceLocations(devices)
  const { hidden } = useHiddenColumns(columnChoice, [presenceColumn])
  const presenceOf = usePresence(devices, !hidden.includes(presenceColumn.id))
  const hrefOf = useDeviceHref()
  const navigate = useNavigate()
  const columns = useMemo(
    () => [
      selection,
      ...columnsFor(locationOf, presenceOf, hrefOf).filter(({ id }) => hasOrganizations || id !== 'organization'),
    ],
    [selection, locationOf, presenceOf, hrefOf, hasOrganizations],
  )
  const open = useCallback(
    ({ id }: ListedDevice) => navigate({ to: '/devices/$deviceId', params: { deviceId: id } }),
    [navigate],
  )
  return (
    <DataTable
      label="Devices"
      rows={devices}
      rowKey={idOf}
      columns={columns}
      minWidth={980}
      isStale={isStale}
      sorting={sorting}
      columnChoice={columnChoice}
      hasFixedWidths
      isSingleLine
      onOpen={open}
    />
  )
}

const idOf = ({ id }: ListedDevice) => id
const columnChoice = 'devices'
const presenceColumn = { id: 'presence', title: 'Last 24 hours', width: 112, isHiddenFirst: true }

const columnsFor = (
  locationOf: (device: ListedDevice) => DeviceLocation,
  presenceOf: (device: ListedDevice) => Presence | undefined,
  hrefOf: (device: ListedDevice) => string,
): Column<ListedDevice, SortKey>[] => [
  {
    id: 'status',
    title: 'Status',
    width: 56,
    align: 'center',
    cell: ({ status }) => <DeviceStatusDot status={status} isShort />,
  },
  {
    id: 'name',
    title: 'Name',
    sort: 'hostname',
    isFixed: true,
    tooltip: ({ hostname, displayName }) => (displayName ? `${displayName} (${hostname})` : hostname),
    cell: (device) => <DeviceRowLink device={device} href={hrefOf(device)} />,
  },
  {
    id: 'organization',
    title: 'Organization',
    tooltip: (device) => locationText(locationOf(device)),
    cell: (device) => locationOf(device).organization.join(' · '),
  },
  {
    id: 'site',
    title: 'Site',
    tooltip: (device) => locationText(locationOf(device)),
    cell: (device) => locationOf(device).site.join(' · '),
  },
  {
    id: 'system',
    title: 'System',
    width: 126,
    tooltip: osText,
    cell: (device) => (
      <span className={classes.system}>
        <OsIcon system={device} />
        <span className="visually-hidden">{osNames[device.osType]}</span>
        <span className={classes.clipped}>{osVersionText(device)}</span>
      </span>
    ),
  },
  { id: 'ip', title: 'IP address', width: 106, cell: ({ lanIp, wanIp }) => lanIp ?? wanIp ?? dash },
  {
    id: 'last-seen',
    title: 'Last seen',
    width: 88,
    sort: 'lastSeen',
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} never="Never" isShort />,
  },
  { ...presenceColumn, cell: (device) => <PresenceStrip presence={presenceOf(device)} /> },
  {
    id: 'load',
    title: 'CPU / memory',
    width: 100,
    cell: ({ cpuPercent, ramPercent, status }) => (
      <CpuAndMemoryBars cpu={cpuPercent} memory={ramPercent} isCurrent={status === 'online'} />
    ),
  },
  {
    id: 'disk',
    title: 'Disk',
    width: 58,
    align: 'right',
    tooltip: ({ diskPercent }) => (diskPercent === null ? undefined : 'Its fullest disk'),
    cell: ({ diskPercent }) => (
      <span className={classes.disk} data-full={(diskPercent ?? 0) >= diskFullPercent || undefined}>
        {percent(diskPercent)}
      </span>
    ),
  },
  { id: 'user', title: 'Last user', width: 92, tooltip: userOf, cell: ({ lastUser }) => lastUser ?? dash },
  {
    id: 'model',
    title: 'Model',
    width: 150,
    isHiddenFirst: true,
    tooltip: modelOf,
    cell: (device) => modelOf(device) ?? dash,
  },
  {
    id: 'serial',
    title: 'Serial number',
    width: 130,
    isHiddenFirst: true,
    tooltip: ({ hardware }) => hardware?.serialNumber ?? undefined,
    cell: ({ hardware }) => hardware?.serialNumber ?? dash,
  },
  {
    id: 'tags',
    title: 'Tags',
    width: 140,
    isHiddenFirst: true,
    tooltip: ({ tags }) => tags.join(', ') || undefined,
    cell: ({ tags }) => tags.join(', ') || dash,
  },
  {
    id: 'groups',
    title: 'Groups',
    width: 140,
    isHiddenFirst: true,
    tooltip: ({ groupNames }) => groupNames.join(', ') || undefined,
    cell: ({ groupNames }) => groupNames.join(', ') || dash,
  },
  {
    id: 'agent',
    title: 'Agent',
    width: 90,
    isHiddenFirst: true,
    cell: ({ agentVersion }) => agentVersion ?? dash,
  },
  {
    id: 'enrolled',
    title: 'Enrolled',
    width: 88,
    sort: 'enrolled',
    isHiddenFirst: true,
    cell: ({ enrolledAt }) => <RelativeTime at={enrolledAt} isShort />,
  },
]

const userOf = ({ lastUser }: ListedDevice) => lastUser ?? undefined

const modelOf = ({ hardware }: ListedDevice): string | undefined =>
  [hardware?.manufacturer, hardware?.model].filter(Boolean).join(' ') || undefined

export function DeviceRowsLoading({ isNarrow }: { isNarrow: boolean }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading devices">
      {Array.from({ length: 8 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={row} h={isNarrow ? 92 : 32} radius="md" />
      ))}
    </Stack>
  )
}
