import { SegmentedControl, Text } from '@mantine/core'
import { IconChartAreaLine } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceUsage, UsageOrder } from '../../../shared/api/backup-usage.ts'
import { deviceUsageQuery } from '../../data/backup-usage.ts'
import { bytes, bytesMore, dash, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { ratio } from './ratio.ts'

const ranges = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]
const usualRange = '30'

export function DeviceUsageList({ orgId }: { orgId: string }) {
  const {
    growth: days = usualRange,
    sort = 'stored',
    sortDir,
    search,
    page = 1,
  } = useSearch({ from: '/app/backup/usage' })
  const navigate = useNavigate({ from: '/backup/usage' })
  const direction = sortDir ?? (sort === 'name' ? 'asc' : 'desc')
  const list = useQuery(
    deviceUsageQuery({ orgId, days: Number(days), sort, sortDir: direction, search, page, limit: 50 }),
  )
  const change = (wanted: object) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...wanted }), replace: true, resetScroll: false })
  const sortBy = (by: UsageOrder) =>
    change({ sort: by, sortDir: by === sort ? (direction === 'asc' ? 'desc' : 'asc') : undefined })
  return (
    <Panel title="Devices">
      <FilterBar
        label="Filter devices"
        onClear={search === undefined ? undefined : () => change({ search: undefined })}
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Growth over"
            data={ranges}
            value={days}
            onChange={(next) => change({ growth: next === usualRange ? undefined : next })}
          />
        }
      >
        <SearchBox label="Search devices" value={search} onSearch={(next) => change({ search: next })} />
      </FilterBar>
      {list.data && list.data.data.length > 0 && <Totals {...list.data} days={days} />}
      <PagedList
        of={list}
        what="device"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), resetScroll: false })}
        empty={
          search !== undefined || page > 1 ? (
            <NoMatch what="devices" onClear={() => change({ search: undefined })} />
          ) : (
            <NoBackups />
          )
        }
      >
        {(rows, isStale) => (
          <DataTable
            label="Usage of each device"
            rows={rows}
            rowKey={({ deviceId }) => deviceId}
            columns={columns}
            minWidth={860}
            isStale={isStale}
            sorting={{ by: sort, direction, onSort: sortBy }}
            onOpen={({ deviceId }) =>
              navigate({ to: '/devices/$deviceId', params: { deviceId }, search: { tab: 'backup' } })
            }
          />
        )}
      </PagedList>
    </Panel>
  )
}

interface TotalsProps {
  totals: {
    storedBytes: number
    newestBytes: number
    grownBytes: number
    deduplication: number | null
    compression: number | null
  }
  days: string
}

function Totals({ totals, days }: TotalsProps) {
  const { storedBytes, newestBytes, grownBytes, deduplication, compression } = totals
  return (
    <Text size="sm" my="sm">
      {bytes(newestBytes)} in the newest snapshots, all snapshots stored in {bytes(storedBytes)},{' '}
      {bytesMore(grownBytes)} in {days} days.
      {deduplication !== null &&
        ` Storing each piece of data once saves ${ratio(deduplication)}${
          compression === null ? '' : `, compression ${ratio(compression)} on top`
        }.`}
    </Text>
  )
}

const NoBackups = () => (
  <EmptyList icon={<IconChartAreaLine stroke={1.5} />} title="No backups yet">
    Each device appears here after its first backup.
  </EmptyList>
)

const columns: Column<DeviceUsage, UsageOrder>[] = [
  {
    id: 'device',
    title: 'Device',
    sort: 'name',
    wrap: 'anywhere',
    cell: ({ deviceId, deviceName, siteName, isDecommissioned }) => (
      <>
        <TextLink
          to="/devices/$deviceId"
          params={{ deviceId }}
          search={{ tab: 'backup' }}
          data-main
          fw={500}
          c="inherit"
          size="sm"
        >
          {deviceName}
        </TextLink>
        <SecondLine>{isDecommissioned ? `${siteName} · Decommissioned` : siteName}</SecondLine>
      </>
    ),
  },
  {
    id: 'newest',
    title: 'Newest snapshot',
    sort: 'newest',
    align: 'right',
    wrap: 'never',
    cell: ({ newestBytes, growth }) => (
      <>
        {bytes(newestBytes)}
        {growth && <SecondLine>{bytesMore(growth.newestBytes)}</SecondLine>}
      </>
    ),
  },
  {
    id: 'stored',
    title: 'Stored',
    sort: 'stored',
    align: 'right',
    wrap: 'never',
    cell: ({ storedBytes, snapshots }) => (
      <>
        {bytes(storedBytes)}
        <SecondLine>{plural(snapshots, 'snapshot')}</SecondLine>
      </>
    ),
  },
  {
    id: 'growth',
    title: 'Growth',
    sort: 'growth',
    align: 'right',
    wrap: 'never',
    cell: ({ growth }) => (growth ? bytesMore(growth.storedBytes) : dash),
  },
  {
    id: 'deduplication',
    title: 'Deduplication',
    align: 'right',
    wrap: 'never',
    tooltip: ({ deduplication }) => (deduplication === null ? 'Measured at night' : undefined),
    cell: ({ deduplication }) => ratio(deduplication),
  },
  {
    id: 'compression',
    title: 'Compression',
    align: 'right',
    wrap: 'never',
    tooltip: ({ compression }) => (compression === null ? 'Measured at night' : undefined),
    cell: ({ compression }) => ratio(compression),
  },
]
