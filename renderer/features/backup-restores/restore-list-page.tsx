import { IconRestore } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RestoreStatus, restoreStatus } from '../../../shared/api/backup-restores.ts'
import { restoresQuery } from '../../data/backup-restores.ts'
import { jobStatusNames } from '../../domain/backup-jobs/job-words.ts'
import { RestoreTable } from '../../domain/backup-restores/restore-table.tsx'
import { DeviceFilter } from '../../domain/devices/device-filter.tsx'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { daySpan } from '../../lib/day-span.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { DayFilter } from '../../ui/day-filter.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'

export function RestoreListPage() {
  return (
    <>
      <PageHeader
        title="Restores"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Files on their way back to devices, and what came back before."
      />
      <OfOrganization what="Restores">{(orgId) => <Restores key={orgId} orgId={orgId} />}</OfOrganization>
    </>
  )
}

const statusOptions = restoreStatus.options.map((value) => ({ value, label: jobStatusNames[value] }))
const limit = 50

interface Filters {
  status?: RestoreStatus | undefined
  device?: string | undefined
  day?: string | undefined
}

function Restores({ orgId }: { orgId: string }) {
  const { status, device, day, page = 1 } = useSearch({ from: '/app/backup/restores' })
  const navigate = useNavigate({ from: '/backup/restores' })
  const restores = useQuery(
    restoresQuery({ orgId, status, deviceId: device, ...(day !== undefined && daySpan(day)), page, limit }),
  )
  const filter = (change: Filters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true })
  const clear = () => filter({ status: undefined, device: undefined, day: undefined })
  const isFiltered = status !== undefined || device !== undefined || day !== undefined
  return (
    <>
      <FilterBar label="Filter restores" onClear={isFiltered ? clear : undefined}>
        <FilterSelect
          label="Status"
          data={statusOptions}
          value={status}
          onChange={(next) => filter({ status: next })}
        />
        <DeviceFilter orgId={orgId} value={device} onChange={(next) => filter({ device: next })} />
        <DayFilter value={day} onChange={(next) => filter({ day: next })} />
      </FilterBar>
      <PagedList
        of={restores}
        what="restore"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
        empty={
          isFiltered || page > 1 ? (
            <NoMatch what="restores" onClear={clear} />
          ) : (
            <EmptyList
              icon={<IconRestore stroke={1.5} />}
              title="Nothing was restored yet"
              action={<ButtonLink to="/backup/files">Restore files</ButtonLink>}
            >
              Find a file by its name, or open a snapshot of a device.
            </EmptyList>
          )
        }
      >
        {(rows, isStale) => <RestoreTable restores={rows} isStale={isStale} />}
      </PagedList>
    </>
  )
}
