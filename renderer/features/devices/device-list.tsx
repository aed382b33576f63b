import { Button } from '@mantine/core'
import { IconDevices, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo } from 'react'
import type { ListedDevice } from '../../../shared/api/devices.ts'
import { keysOf } from '../../../shared/objects.ts'
import { devicesQuery } from '../../data/devices.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import {
  type DeviceFilterSearch,
  type DeviceListSearch,
  defaultDeviceLimit,
  deviceQueryOf,
} from '../../domain/devices/device-query.ts'
import { enrollmentClosedReason } from '../../domain/organizations/enrollment-closed.ts'
import { SearchEverywhere } from '../../domain/organizations/search-everywhere.tsx'
import { useHasOrganizationChoice } from '../../domain/organizations/selected-organization.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { useStableCallback } from '../../lib/use-stable-callback.ts'
import { useSelection } from '../../ui/data-table/use-selection.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { DeviceCards } from './device-cards.tsx'
import { DeviceFilters } from './device-filters.tsx'
import { DeviceRowsLoading, DeviceTable } from './device-table.tsx'
import { ExportButton } from './several/export-button.tsx'
import { SelectedDevices } from './several/selected-devices.tsx'
import { StatusSummary } from './status-summary.tsx'

// Rendered again only where they differ: the list itself is enough for a slow computer to do on a click. What the React
// Compiler remembers is not enough for that: sorting takes a fifth longer without these.
const Summary = memo(StatusSummary)
const FilterLine = memo(DeviceFilters)
const Pages = memo(Pager)
const Selected = memo(SelectedDevices)

const noFilters: Record<keyof DeviceFilterSearch, undefined> = {
  search: undefined,
  site: undefined,
  group: undefined,
  status: undefined,
  os: undefined,
  attention: undefined,
}

interface Props {
  search: DeviceListSearch
  /** Limits the list to one organization. */
  orgId: string | undefined
  onSearch: (change: DeviceListSearch) => void
}

export function DeviceList({ search, orgId, onSearch }: Props) {
  const isNarrow = useNarrowScreen()
  const hasChoice = useHasOrganizationChoice()
  const query = deviceQueryOf(search, orgId)
  const { sort, sortDir: dir } = query
  const [page, limit] = [Number(query.page), Number(query.limit)]
  const devices = useQuery(devicesQuery(query))
  const { search: text, siteId, groupIds, status, attention, osType } = query
  const filters = { search: text, orgId, siteId, groupIds: groupIds?.split(','), status, attention, osType }
  const rows = devices.data?.data ?? []
  const selection = useSelection({ rows, keyOf: idOf, nameOf: deviceName, keptWithin: JSON.stringify(filters) })
  const setSearch = useStableCallback((change: DeviceListSearch) => onSearch({ page: undefined, ...change }))
  const clear = useStableCallback(() => setSearch(noFilters))
  const setStatus = useStableCallback((status: DeviceFilterSearch['status']) => setSearch({ status }))
  const turnTo = useStableCallback((page?: number) => setSearch({ page }))
  const setLimit = useStableCallback((next: number) =>
    setSearch({ limit: next === defaultDeviceLimit ? undefined : (String(next) as '25' | '100') }),
  )
  const isFiltered = keysOf(noFilters).some((name) => search[name])

  const { site, group, os } = search
  const shownFilters = useMemo(
    () => ({ search: text, site, group, status, os, attention }),
    [text, site, group, status, os, attention],
  )
  const hasRows = rows.length > 0
  const wanted = useStableCallback(() => ({ filters, sort, sortDir: dir }))
  const exportButton = useMemo(() => hasRows && <ExportButton wanted={wanted} />, [hasRows, wanted])

  const sortBy = (column: typeof sort) =>
    setSearch({
      sort: column,
      dir: column === sort ? (dir === 'asc' ? 'desc' : 'asc') : column === 'hostname' ? 'asc' : 'desc',
    })
  return (
    <>
      <Summary orgId={orgId} status={search.status} onStatus={setStatus} />
      <FilterLine
        orgId={orgId}
        search={shownFilters}
        onChange={setSearch}
        onClear={isFiltered ? clear : undefined}
        actions={exportButton}
      />
      <Listed
        of={devices}
        loading={<DeviceRowsLoading isNarrow={isNarrow} />}
        empty={
          <NoRows isFiltered={isFiltered} orgId={orgId} onClear={clear} page={page} onFirstPage={() => setSearch({})} />
        }
      >
        {({ data, pagination }) => (
          <>
            {isNarrow ? (
              <DeviceCards devices={data} boxOf={selection.boxOf} />
            ) : (
              <DeviceTable
                devices={data}
                isStale={devices.isPlaceholderData}
                hasOrganizations={orgId === undefined && hasChoice}
                selection={selection.column}
                sorting={{ by: sort, direction: dir, onSort: sortBy }}
              />
            )}
            <Pages
              page={page}
              limit={limit}
              total={pagination.total ?? 0}
              what="device"
              onPage={turnTo}
              onLimit={setLimit}
            />
          </>
        )}
      </Listed>
      <Selected selection={selection} />
    </>
  )
}

const idOf = ({ id }: ListedDevice) => id

interface NoRowsProps {
  isFiltered: boolean
  orgId: string | undefined
  onClear: () => void
  page: number
  onFirstPage: () => void
}

function NoRows(props: NoRowsProps) {
  const me = useMe()
  const add = useOpenDialog('add-device')
  const { orgId } = props
  const organization = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined }).data
  const reason = organization && enrollmentClosedReason(organization)
  if (props.page > 1) {
    const back = (
      <Button variant="default" onClick={props.onFirstPage}>
        Go to first page
      </Button>
    )
    return (
      <EmptyList icon={<IconDevices stroke={1.5} />} title="This page is empty" action={back}>
        There are fewer devices now.
      </EmptyList>
    )
  }
  if (props.isFiltered) return <NoMatch what="devices" onClear={props.onClear} otherwise={<SearchEverywhere />} />
  if (reason) {
    return (
      <EmptyList icon={<IconDevices stroke={1.5} />} title="This organization has no devices">
        {reason}
      </EmptyList>
    )
  }
  const mayAdd = can(me, 'organizations:write')
  return (
    <EmptyList
      icon={<IconDevices stroke={1.5} />}
      title={orgId ? 'This organization has no devices yet' : 'No devices yet'}
      action={
        mayAdd && (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            Add a device
          </Button>
        )
      }
    >
      {mayAdd
        ? 'Run one command on a computer and it appears here automatically.'
        : 'Devices appear here automatically once someone adds them.'}
    </EmptyList>
  )
}
