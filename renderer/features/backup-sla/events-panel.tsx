import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type SlaConfig, type SlaEvent, slaEventType } from '../../../shared/api/backup-sla.ts'
import { slaEventsQuery } from '../../data/backup-sla.ts'
import { eventNames, foundWords } from '../../domain/backup-sla/sla-words.ts'
import { DeviceFilter } from '../../domain/devices/device-filter.tsx'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { NoMatch } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** The hash of links to the list. */
export const eventsAnchor = 'events'
const rowsPerPage = 25

const states = [
  { value: 'open', label: 'Not met now' },
  { value: 'resolved', label: 'Over' },
] as const
const types = slaEventType.options.map((value) => ({ value, label: eventNames[value] }))

type Filters = Partial<ReturnType<typeof useFilters>>
const useFilters = () => useSearch({ from: '/app/backup/sla' })

/** Every breach, those that are over included. */
export function EventsPanel({ orgId, configs }: { orgId: string; configs: readonly SlaConfig[] }) {
  const { state, type, sla, device, page = 1 } = useFilters()
  const navigate = useNavigate({ from: '/backup/sla' })
  const events = useQuery(
    slaEventsQuery({ orgId, state, eventType: type, configId: sla, deviceId: device, page, limit: rowsPerPage }),
  )
  const filter = (change: Filters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true, resetScroll: false })
  const clear = () => filter({ state: undefined, type: undefined, sla: undefined, device: undefined })
  const isFiltered = [state, type, sla, device].some((value) => value !== undefined)
  return (
    <Panel title="Breaches" anchor={eventsAnchor}>
      <FilterBar label="Filter breaches" onClear={isFiltered ? clear : undefined}>
        <FilterSelect label="State" data={states} value={state} onChange={(next) => filter({ state: next })} />
        <FilterSelect label="Kind" data={types} value={type} onChange={(next) => filter({ type: next })} />
        {configs.length > 1 && (
          <FilterSelect
            label="SLA"
            searchable
            data={configs.map(({ id, name }) => ({ value: id, label: name }))}
            value={sla}
            onChange={(next) => filter({ sla: next })}
          />
        )}
        <DeviceFilter orgId={orgId} value={device} onChange={(next) => filter({ device: next })} />
      </FilterBar>
      <PagedList
        of={events}
        what="breach"
        many="breaches"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), hash: eventsAnchor })}
        empty={isFiltered || page > 1 ? <NoMatch what="breaches" onClear={clear} /> : 'There has been no breach yet.'}
      >
        {(rows, isStale) => (
          <DataTable
            label="Breaches"
            rows={rows}
            rowKey={({ id }) => id}
            columns={columns}
            minWidth={760}
            isStale={isStale}
          />
        )}
      </PagedList>
    </Panel>
  )
}

const columns: Column<SlaEvent>[] = [
  {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    cell: ({ deviceId, deviceName, slaConfigName }) => (
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
        <SecondLine>{slaConfigName}</SecondLine>
      </>
    ),
  },
  {
    id: 'what',
    title: 'What',
    cell: (event) => (
      <>
        {eventNames[event.eventType]}
        <SecondLine>{foundWords(event)}</SecondLine>
      </>
    ),
  },
  {
    id: 'state',
    title: 'State',
    wrap: 'never',
    cell: ({ resolvedAt }) =>
      resolvedAt === null ? <StatusDot tone="bad">Not met</StatusDot> : <StatusDot tone="idle">Over</StatusDot>,
  },
  { id: 'since', title: 'Found', wrap: 'never', cell: ({ detectedAt }) => <RelativeTime at={detectedAt} isPast /> },
  { id: 'until', title: 'Over', wrap: 'never', cell: ({ resolvedAt }) => <RelativeTime at={resolvedAt} isPast /> },
]
