import { Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type DeviceReadiness, riskCode } from '../../../shared/api/backup-readiness.ts'
import { count, plural } from '../../lib/format.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useIsPrinting } from '../../lib/use-is-printing.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { pageOf } from '../../ui/data-table/page-of.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { NoMatch } from '../../ui/states.tsx'
import { filterDevices, type ReadinessFilters } from './filter-devices.ts'
import { bandNames, bandRanges, bands, lossWords, restoreTimeWords, riskNames } from './readiness-words.ts'
import { Risks } from './risks.tsx'
import { Score } from './score.tsx'

/** The hash of links to the list. */
export const listAnchor = 'devices'

/** The whole list is loaded, but too long to render. */
const rowsPerPage = 50
const rowsOnPaper = 1000

const bandOptions = bands.map((value) => ({ value, label: `${bandNames[value]} (${bandRanges[value]})` }))
const riskOptions = riskCode.options.map((value) => ({ value, label: riskNames[value] }))

/** Every device, the lowest score first, with what would raise it. */
export function ReadinessList({ devices }: { devices: readonly DeviceReadiness[] }) {
  const { band, risk, search, page = 1 } = useSearch({ from: '/app/backup/readiness' })
  const navigate = useNavigate({ from: '/backup/readiness' })
  const found = useMemo(() => filterDevices(devices, { band, risk, search }), [devices, band, risk, search])
  const isPrinting = useIsPrinting()
  const filter = (change: ReadinessFilters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true, resetScroll: false })
  const clear = () => filter({ band: undefined, risk: undefined, search: undefined })
  const isFiltered = band !== undefined || risk !== undefined || search !== undefined
  const shown = isPrinting ? pageOf(found, 1, rowsOnPaper) : pageOf(found, page, rowsPerPage)
  return (
    <Panel title="Devices" anchor={listAnchor}>
      <FilterBar label="Filter devices" onClear={isFiltered ? clear : undefined}>
        <SearchBox label="Search devices" value={search} onSearch={(next) => filter({ search: next })} />
        <FilterSelect label="Score" data={bandOptions} value={band} onChange={(next) => filter({ band: next })} />
        <FilterSelect label="Risk" data={riskOptions} value={risk} onChange={(next) => filter({ risk: next })} />
      </FilterBar>
      {found.length === 0 ? (
        <NoMatch what="devices" onClear={clear} />
      ) : (
        <>
          {isPrinting && <Printed filters={{ band, risk, search }} found={found.length} all={devices.length} />}
          <DataTable
            label="Recovery readiness of each device"
            rows={shown.rows}
            rowKey={({ deviceId }) => deviceId}
            columns={columns}
            minWidth={isPrinting ? 0 : 900}
            isNeverCards={isPrinting}
          />
          <div className="screen-only">
            <Pager
              {...shown.pagination}
              what="device"
              onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), hash: listAnchor })}
            />
          </div>
        </>
      )}
    </Panel>
  )
}

/** Which devices are on the paper. */
function Printed({ filters, found, all }: { filters: ReadinessFilters; found: number; all: number }) {
  const { band, risk, search } = filters
  const only = [
    band && `${bandNames[band]}, ${bandRanges[band]}`,
    risk && riskNames[risk],
    search && `named like “${search}”`,
  ].filter(Boolean)
  const left = found - rowsOnPaper
  return (
    <Text size="sm" mb="xs">
      {found === all ? plural(all, 'device') : `${count(found)} of ${plural(all, 'device')}`}
      {only.length > 0 && `: ${only.join('; ')}`}
      {left > 0 && `. The ${count(rowsOnPaper)} with the lowest scores; filter the list to print the others`}.
    </Text>
  )
}

const DeviceRisks = ({ device }: { device: DeviceReadiness }) => (
  <Risks device={device} mayRun={can(useMe(), 'devices:execute')} />
)

const Loss = ({ device }: { device: DeviceReadiness }) => lossWords(device, useNow())

const columns: Column<DeviceReadiness>[] = [
  {
    id: 'device',
    title: 'Device',
    width: '18%',
    wrap: 'anywhere',
    cell: ({ deviceId, deviceName }) => (
      <TextLink to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'backup' }} fw={500} c="inherit" size="sm">
        {deviceName}
      </TextLink>
    ),
  },
  {
    id: 'score',
    title: 'Score',
    wrap: 'never',
    cell: ({ readinessScore }) => <Score score={readinessScore} />,
  },
  { id: 'time', title: 'Restore takes', wrap: 'never', cell: restoreTimeWords },
  { id: 'loss', title: 'Would be lost', cell: (device) => <Loss device={device} /> },
  { id: 'risks', title: 'Risks', width: '40%', only: 'wide', cell: (device) => <DeviceRisks device={device} /> },
  {
    id: 'risks-below',
    title: 'Risks',
    only: 'narrow',
    place: 'bottom',
    cell: (device) => <DeviceRisks device={device} />,
  },
]
