import { Button, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { JobView } from '../../../shared/api/system.ts'
import { jobsQuery, runJobNow } from '../../data/jobs.ts'
import { duration } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { TasksSection } from './tasks-section.tsx'

export function JobsPage() {
  const jobs = useQuery(jobsQuery)
  return (
    <>
      <PageHeader title="Background jobs" about="What Homeport does by itself, and how it went." />
      <Loaded of={jobs}>
        {(all) => (
          <TableFrame label="Background jobs">
            <Table tabularNums miw={{ sm: 760 }}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Job</Table.Th>
                  <Table.Th>Outcome</Table.Th>
                  <Table.Th>Last run</Table.Th>
                  <Table.Th>Took</Table.Th>
                  <Table.Th>Next run</Table.Th>
                  <Table.Th w={110}>
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {all.map((job) => (
                  <JobRow key={job.name} job={job} />
                ))}
              </Table.Tbody>
            </Table>
          </TableFrame>
        )}
      </Loaded>
      <TasksSection />
    </>
  )
}

function JobRow({ job }: { job: JobView }) {
  const run = useMutation(runJobNow)
  const isRunning = job.isRunning || run.isPending
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500}>
          {job.description}
        </Text>
        <Text size="xs" c="dimmed" className="mono">
          {job.name} · <span style={{ whiteSpace: 'nowrap' }}>{job.schedule}</span>
        </Text>
      </Table.Td>
      <Table.Td data-label="Outcome">
        <Outcome job={job} isRunning={isRunning} />
      </Table.Td>
      <Table.Td data-label="Last run">
        <RelativeTime at={job.lastFinishedAt} never="Not yet" />
      </Table.Td>
      <Table.Td data-label="Took" style={{ whiteSpace: 'nowrap' }}>
        {duration(job.lastDurationMs)}
      </Table.Td>
      <Table.Td data-label="Next run">
        <RelativeTime at={job.nextRunAt} />
      </Table.Td>
      <Table.Td data-actions>
        <Button
          size="xs"
          variant="default"
          loading={isRunning}
          aria-label={`Run now: ${job.name}`}
          onClick={() => run.mutate(job.name, { onError: notifyFailed(`${job.name} did not run`) })}
        >
          Run now
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}

function Outcome({ job, isRunning }: { job: JobView; isRunning: boolean }) {
  if (isRunning) {
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
