import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { InstalledSoftware } from '../../../shared/device/inventory.ts'
import { softwareQuery } from '../../data/devices.ts'
import { dash } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { NoMatch } from '../../ui/states.tsx'
import { NotReportedYet } from './hardware-tab.tsx'

export function SoftwareTab({ deviceId }: { deviceId: string }) {
  const { search, page = 1 } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const software = useQuery(softwareQuery(deviceId, search, page))
  const setSearch = (text: string | undefined) =>
    navigate({ search: (old) => ({ ...old, search: text, page: undefined }), replace: true })
  const setPage = (next?: number) => navigate({ search: (old) => ({ ...old, page: next }) })
  return (
    <>
      <Group mb="md">
        <SearchBox label="Search software" value={search} onSearch={setSearch} />
      </Group>
      <PagedList
        of={software}
        what="program"
        onPage={setPage}
        empty={
          search || page > 1 ? (
            <NoMatch what="programs" onClear={() => setSearch(undefined)} />
          ) : (
            <NotReportedYet what="software" />
          )
        }
      >
        {(rows, isStale) => (
          <DataTable
            label="Installed software"
            rows={rows}
            rowKey={({ name, version, installLocation }) => `${name} ${version} ${installLocation}`}
            columns={columns}
            minWidth={560}
            isStale={isStale}
            isNeverCards
            isDense
          />
        )}
      </PagedList>
    </>
  )
}

const columns: Column<InstalledSoftware>[] = [
  { id: 'name', title: 'Name', wrap: 'anywhere', only: 'wide', cell: ({ name }) => name },
  { id: 'short', title: 'Name', wrap: 'anywhere', only: 'narrow', cell: (program) => <NameAndOrigin {...program} /> },
  { id: 'version', title: 'Version', wrap: 'anywhere', cell: ({ version }) => version ?? dash },
  { id: 'publisher', title: 'Publisher', only: 'wide', cell: ({ vendor }) => vendor ?? dash },
  { id: 'installed', title: 'Installed', only: 'wide', cell: ({ installDate }) => installDate ?? dash },
]

function NameAndOrigin({ name, vendor, installDate }: InstalledSoftware) {
  return (
    <>
      {name}
      <SecondLine>{[vendor, installDate].filter(Boolean).join(' · ')}</SecondLine>
    </>
  )
}
