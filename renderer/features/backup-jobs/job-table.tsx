import { useNavigate } from '@tanstack/react-router'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import { JobStatus } from '../../domain/backup-jobs/job-status.tsx'
import { jobDurationMs } from '../../domain/backup-jobs/job-words.ts'
import { modeName } from '../../domain/backup-policies/what-words.ts'
import { bytes, count, dash, duration } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

interface Props {
  jobs: readonly BackupJob[]
  isStale?: boolean
  /** All are of one device, whose page this is. */
  isOfDevice?: boolean
}

export function JobTable({ jobs, isStale, isOfDevice }: Props) {
  const navigate = useNavigate()
  return (
    <DataTable
      label="Backups"
      rows={jobs}
      rowKey={({ id }) => id}
      columns={isOfDevice ? columnsOfDevice : columns}
      minWidth={isOfDevice ? 620 : 760}
      isStale={isStale}
      onOpen={({ id }) => navigate({ to: '/backup/jobs/$jobId', params: { jobId: id } })}
    />
  )
}

function JobLink({ job: { id }, children }: { job: BackupJob; children: string }) {
  return (
    <TextLink to="/backup/jobs/$jobId" params={{ jobId: id }} data-main fw={500} c="inherit" size="sm">
      {children}
    </TextLink>
  )
}

const startOf = ({ startedAt, createdAt }: BackupJob) => startedAt ?? createdAt

const files: Column<BackupJob> = {
  id: 'files',
  title: 'Files',
  align: 'right',
  wrap: 'never',
  only: 'wide',
  cell: ({ status, totalFiles, fileCount }) => amount(status === 'running' ? totalFiles : fileCount),
}
const size: Column<BackupJob> = {
  id: 'size',
  title: 'Size',
  align: 'right',
  wrap: 'never',
  only: 'wide',
  cell: ({ totalSize }) => bytes(totalSize),
}
const state: Column<BackupJob> = {
  id: 'state',
  title: 'Status',
  width: 260,
  only: 'wide',
  cell: (job) => <JobStatus job={job} />,
}
const took: Column<BackupJob> = {
  id: 'took',
  title: 'Duration',
  align: 'right',
  wrap: 'never',
  only: 'wide',
  cell: (job) => duration(jobDurationMs(job)),
}
const summary: Column<BackupJob> = {
  id: 'summary',
  title: 'Summary',
  only: 'narrow',
  place: 'bottom',
  cell: (job) => <Summary job={job} />,
}

/** What a wide screen has in columns. */
function Summary({ job }: { job: BackupJob }) {
  const took = jobDurationMs(job)
  return (
    <>
      <JobStatus job={job} />
      <SecondLine>
        <RelativeTime isPast at={startOf(job)} />
        {job.totalSize !== null && ` · ${bytes(job.totalSize)}`}
        {took !== null && ` · ${duration(took)}`}
      </SecondLine>
    </>
  )
}

const columns: Column<BackupJob>[] = [
  {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    cell: (job) => (
      <>
        <JobLink job={job}>{job.deviceName ?? dash}</JobLink>
        <SecondLine>
          {modeName(job)}
          {job.configName && ` to ${job.configName}`}
        </SecondLine>
      </>
    ),
  },
  state,
  files,
  size,
  {
    id: 'when',
    title: 'Started',
    wrap: 'never',
    only: 'wide',
    cell: (job) => <RelativeTime isPast at={startOf(job)} />,
  },
  took,
  summary,
]

const columnsOfDevice: Column<BackupJob>[] = [
  {
    id: 'when',
    title: 'Started',
    cell: (job) => (
      <>
        <JobLink job={job}>{modeName(job)}</JobLink>
        <SecondLine>
          <RelativeTime isPast at={startOf(job)} />
        </SecondLine>
      </>
    ),
  },
  state,
  files,
  size,
  took,
  summary,
]

const amount = (value: number | null): string => (value === null ? dash : count(value))
