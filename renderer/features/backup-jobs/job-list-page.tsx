import { Button } from '@mantine/core'
import { IconCloudUpload, IconPlayerPlay } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type BackupJobStatus, backupJobStatus } from '../../../shared/api/backup-jobs.ts'
import { jobStatusNames } from '../../domain/backup-jobs/job-words.ts'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { DeviceFilter } from '../../domain/devices/device-filter.tsx'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { DayFilter } from '../../ui/day-filter.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { JobTable } from './job-table.tsx'
import { RunAllDialog } from './run-all-dialog.tsx'
import { useJobList } from './use-job-list.ts'

export function JobListPage() {
  return <OfOrganizationWithHeader>{(orgId) => <Jobs key={orgId} orgId={orgId} />}</OfOrganizationWithHeader>
}

function OfOrganizationWithHeader({ children }: { children: (orgId: string) => React.ReactNode }) {
  return (
    <>
      <PageHeader
        title="Jobs"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Backups that run, that ran, and what came of them."
      />
      <OfOrganization what="Backups">{children}</OfOrganization>
    </>
  )
}

const statusOptions = backupJobStatus.options.map((value) => ({ value, label: jobStatusNames[value] }))

interface Filters {
  status?: BackupJobStatus | undefined
  device?: string | undefined
  day?: string | undefined
}

function Jobs({ orgId }: { orgId: string }) {
  const { status, device, day, page = 1 } = useSearch({ from: '/app/backup/jobs' })
  const navigate = useNavigate({ from: '/backup/jobs' })
  const mayRun = can(useMe(), 'devices:execute')
  const [isAsking, setAsking] = useState(false)
  const jobs = useJobList({ orgId, status, deviceId: device, day, page })
  const filter = (change: Filters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true })
  const clear = () => filter({ status: undefined, device: undefined, day: undefined })
  const isFiltered = status !== undefined || device !== undefined || day !== undefined
  const runAll = () => setAsking(true)
  useOfferActions(mayRun ? [{ label: 'Back up all', alias: 'Run backup now', Icon: IconPlayerPlay, run: runAll }] : [])
  return (
    <>
      <FilterBar
        label="Filter jobs"
        onClear={isFiltered ? clear : undefined}
        actions={
          mayRun && (
            <Button variant="default" leftSection={<IconPlayerPlay size={16} />} onClick={runAll}>
              Back up all
            </Button>
          )
        }
      >
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
        of={jobs}
        what="backup"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
        empty={isFiltered || page > 1 ? <NoMatch what="backups" onClear={clear} /> : <NoJobs />}
      >
        {(rows, isStale) => <JobTable jobs={rows} isStale={isStale} />}
      </PagedList>
      {isAsking && <RunAllDialog orgId={orgId} onClose={() => setAsking(false)} />}
    </>
  )
}

function NoJobs() {
  const mayProtect = useMayProtect()
  const protect = useOpenDialog('protect')
  return (
    <EmptyList
      icon={<IconCloudUpload stroke={1.5} />}
      title="No backups yet"
      action={mayProtect && <Button onClick={protect}>Protect devices</Button>}
    >
      Backups appear here while they run, and afterwards with what came of them.
    </EmptyList>
  )
}
