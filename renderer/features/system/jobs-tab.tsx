import { Button, Text, Tooltip } from '@mantine/core'
import { useMutation, useMutationState, useQuery } from '@tanstack/react-query'
import type { JobView } from '../../../shared/api/system.ts'
import { jobsQuery, runJobNow } from '../../data/jobs.ts'
import { count, duration } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { buttonColumn, type Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { scheduleWords } from './schedule-words.ts'
import { TasksSection } from './tasks-section.tsx'

/** What Homeport does in the background, and how it went. */
export function JobsTab() {
  const jobs = useQuery(jobsQuery)
  const starting = useMutationState({
    filters: { mutationKey: runJobNow.mutationKey, status: 'pending' },
    select: ({ state }) => state.variables,
  })
  return (
    <>
      {jobs.data && <Summary jobs={jobs.data} />}
      <Loaded of={jobs}>
        {(all) => (
          <DataTable
            label="Background jobs"
            rows={failedFirst(all).map((job) => ({ ...job, isRunning: job.isRunning || starting.includes(job.name) }))}
            rowKey={({ name }) => name}
            columns={columns}
            minWidth={760}
          />
        )}
      </Loaded>
      <TasksSection />
    </>
  )
}

const hasFailed = ({ lastOutcome }: JobView) => lastOutcome !== null && lastOutcome !== 'success'

const failedFirst = (jobs: readonly JobView[]) => [...jobs].sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))

function Summary({ jobs }: { jobs: readonly JobView[] }) {
  const failed = jobs.filter(hasFailed).length
  return failed === 0 ? (
    <StatusDot tone="good">None failed</StatusDot>
  ) : (
    <StatusDot tone="bad">{`${count(failed)} failed`}</StatusDot>
  )
}

const columns: Column<JobView>[] = [
  { id: 'job', title: 'Job', cell: (job) => <Description job={job} /> },
  { id: 'outcome', title: 'Result', cell: (job) => <Outcome job={job} /> },
  {
    id: 'last-run',
    title: 'Last run',
    cell: ({ lastFinishedAt }) => <RelativeTime at={lastFinishedAt} never="Not yet" />,
  },
  {
    id: 'took',
    title: 'Duration',
    align: 'right',
    wrap: 'never',
    cell: ({ lastDurationMs }) => duration(lastDurationMs),
  },
  { id: 'next-run', title: 'Next run', cell: ({ nextRunAt }) => <RelativeTime at={nextRunAt} /> },
  buttonColumn((job) => <RunButton job={job} />),
]

function Description({ job: { name, description, schedule } }: { job: JobView }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {description}
      </Text>
      <SecondLine>
        {scheduleWords(schedule)} · <span className="mono">{name}</span>
      </SecondLine>
    </>
  )
}

function RunButton({ job: { name, isRunning } }: { job: JobView }) {
  const run = useMutation(runJobNow)
  return (
    <Button
      size="xs"
      variant="default"
      loading={isRunning}
      aria-label={`Run now: ${name}`}
      onClick={() => run.mutate(name, { onError: notifyFailed(`${name} didn’t run`) })}
    >
      Run now
    </Button>
  )
}

function Outcome({ job }: { job: JobView }) {
  if (job.isRunning) {
    return (
      <StatusDot tone="busy" isPulsing>
        Running
      </StatusDot>
    )
  }
  if (job.lastOutcome === null) return <StatusDot tone="idle">Not run yet</StatusDot>
  if (job.lastOutcome === 'success') return <StatusDot tone="good">Success</StatusDot>
  return (
    <Tooltip label={job.lastError} disabled={!job.lastError} multiline maw={360}>
      <div>
        <StatusDot tone="bad">Failed</StatusDot>
        {job.lastError && (
          <Text size="xs" c="dimmed" lineClamp={1} maw={220}>
            {job.lastError}
          </Text>
        )}
      </div>
    </Tooltip>
  )
}
