import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type ComponentState, type LackingDevice, lackingDevicesQuery } from '../../../data/components.ts'
import { DeviceLink } from '../../../domain/devices/device-link.tsx'
import type { Column } from '../../../ui/data-table/column.tsx'
import { DataTable } from '../../../ui/data-table/data-table.tsx'
import { PagedList } from '../../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { platformName } from './platform-name.ts'

const limit = 25

/** Devices whose agent has no restic: they can’t back up. */
export function LackingDevices({ engine: { programs } }: { engine: Pick<ComponentState, 'programs'> }) {
  const { page = 1 } = useSearch({ from: '/app/system/appliance' })
  const navigate = useNavigate({ from: '/system/appliance' })
  const columns = useMemo(() => columnsFor(new Set(programs.map(({ platform }) => platform))), [programs])
  const devices = useQuery(lackingDevicesQuery('restic', { page, limit }))
  return (
    <PagedList
      of={devices}
      lines={3}
      what="device"
      empty="None. Every device that reports has restic."
      onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
    >
      {(rows, isStale) => (
        <DataTable
          label="Devices without restic"
          rows={rows}
          rowKey={({ deviceId }) => deviceId}
          columns={columns}
          minWidth={720}
          isStale={isStale}
        />
      )}
    </PagedList>
  )
}

const columnsFor = (covered: ReadonlySet<string>): Column<LackingDevice>[] => [
  {
    id: 'device',
    title: 'Device',
    cell: (device) => (
      <>
        <DeviceLink device={device} />
        <SecondLine>{device.organizationName}</SecondLine>
      </>
    ),
  },
  { id: 'platform', title: 'Platform', cell: ({ platform }) => platformName(platform) },
  { id: 'last-seen', title: 'Last seen', cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} never="Never" /> },
  { id: 'why', title: 'Why', cell: (device) => <Reason {...device} isCovered={covered.has(device.platform)} /> },
]

function Reason({ status, isCovered }: Pick<LackingDevice, 'status'> & { isCovered: boolean }) {
  if (!isCovered) return <StatusDot tone="warn">No restic for this platform</StatusDot>
  return (
    <>
      <StatusDot tone="busy">Not downloaded yet</StatusDot>
      <Text size="xs" c="dimmed">
        {status === 'online' ? 'Its agent looks once an hour.' : 'Its agent looks when it’s online.'}
      </Text>
    </>
  )
}
