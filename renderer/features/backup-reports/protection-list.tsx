import { Button } from '@mantine/core'
import { IconDownload, IconShieldCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ProtectionState, protectionState } from '../../../shared/api/backup-attention.ts'
import type { DeviceProtection } from '../../../shared/api/backup-reports.ts'
import { protectionQuery } from '../../data/backup-reports.ts'
import { jobStatusNames } from '../../domain/backup-jobs/job-words.ts'
import { firstBackup, protectionNames, protectionTones } from '../../domain/backup-reports/protection-states.ts'
import { bytes, count, dash } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { useProtectionExport } from './use-protection-export.ts'

export const rowsPerPage = 50
/** The hash of links to the list. */
export const listAnchor = 'devices'

const stateOptions = protectionState.options.map((value) => ({ value, label: protectionNames[value] }))

interface Filters {
  state?: ProtectionState | undefined
  search?: string | undefined
}

/** Every device with how it stands. */
export function ProtectionList({ orgId }: { orgId: string }) {
  const { state, search, page = 1 } = useSearch({ from: '/app/backup/overview' })
  const navigate = useNavigate({ from: '/backup/overview' })
  const list = useQuery(protectionQuery({ orgId, state, search, page, limit: rowsPerPage }))
  const file = useProtectionExport()
  const filter = (change: Filters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true, resetScroll: false })
  const clear = () => filter({ state: undefined, search: undefined })
  const isFiltered = state !== undefined || search !== undefined
  return (
    <Panel title="Protection of each device" anchor={listAnchor}>
      <FilterBar
        label="Filter devices"
        onClear={isFiltered ? clear : undefined}
        actions={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            loading={file.isPending}
            onClick={() => file.mutate({ orgId, state, search })}
          >
            Export CSV
          </Button>
        }
      >
        <SearchBox label="Search devices" value={search} onSearch={(next) => filter({ search: next })} />
        <FilterSelect label="State" data={stateOptions} value={state} onChange={(next) => filter({ state: next })} />
      </FilterBar>
      <PagedList
        of={list}
        what="device"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), hash: listAnchor })}
        empty={isFiltered || page > 1 ? <NoMatch what="devices" onClear={clear} /> : <NoDevices />}
      >
        {(rows, isStale) => (
          <DataTable
            label="Protection of each device"
            rows={rows}
            rowKey={({ deviceId }) => deviceId}
            columns={columns}
            minWidth={860}
            isStale={isStale}
            onOpen={({ deviceId }) =>
              navigate({ to: '/devices/$deviceId', params: { deviceId }, search: { tab: 'backup' } })
            }
          />
        )}
      </PagedList>
    </Panel>
  )
}

const NoDevices = () => (
  <EmptyList icon={<IconShieldCheck stroke={1.5} />} title="No devices yet">
    Each device appears here with its policy, its last backup and its next one.
  </EmptyList>
)

const State = ({ device: { state, isBusy } }: { device: DeviceProtection }) =>
  state === 'never' && isBusy ? (
    <StatusDot tone="busy">{firstBackup.name}</StatusDot>
  ) : (
    <StatusDot tone={protectionTones[state]}>{protectionNames[state]}</StatusDot>
  )

const resultOf = ({ lastResult }: DeviceProtection): string | null =>
  lastResult === null || lastResult === 'completed' ? null : `Then: ${jobStatusNames[lastResult].toLowerCase()}`

/** A partial backup is itself the last one that can be restored from. */
const noteOf = (device: DeviceProtection): string | null =>
  device.lastResult === 'partial' ? jobStatusNames.partial : resultOf(device)

const columns: Column<DeviceProtection>[] = [
  {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    cell: ({ deviceId, deviceName, siteName }) => (
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
        <SecondLine>{siteName}</SecondLine>
      </>
    ),
  },
  { id: 'state', title: 'State', wrap: 'never', only: 'wide', cell: (device) => <State device={device} /> },
  {
    id: 'policy',
    title: 'Policy',
    wrap: 'anywhere',
    only: 'wide',
    cell: ({ policyName, configName }) => (
      <>
        {policyName ?? dash}
        {policyName && <SecondLine>{configName ? `to ${configName}` : 'without storage'}</SecondLine>}
      </>
    ),
  },
  {
    id: 'last',
    title: 'Last backup',
    only: 'wide',
    cell: (device) => (
      <>
        <RelativeTime isPast at={device.lastSuccessAt} never="Never" />
        {noteOf(device) && <SecondLine>{noteOf(device)}</SecondLine>}
      </>
    ),
  },
  { id: 'next', title: 'Next', only: 'wide', cell: ({ nextScheduledAt }) => <RelativeTime at={nextScheduledAt} /> },
  {
    id: 'snapshots',
    title: 'Snapshots',
    align: 'right',
    wrap: 'never',
    only: 'wide',
    cell: ({ snapshots }) => count(snapshots),
  },
  {
    id: 'stored',
    title: 'Stored',
    align: 'right',
    wrap: 'never',
    only: 'wide',
    cell: ({ storedBytes }) => bytes(storedBytes),
  },
  {
    id: 'summary',
    title: 'Summary',
    only: 'narrow',
    place: 'bottom',
    cell: (device) => (
      <>
        <State device={device} />
        <SecondLine>
          {device.policyName && `${device.policyName} · `}
          Last backup: <RelativeTime isPast at={device.lastSuccessAt} never="never" />
        </SecondLine>
      </>
    ),
  },
]
