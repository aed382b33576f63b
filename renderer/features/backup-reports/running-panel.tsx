import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { jobsQuery } from '../../data/backup-jobs.ts'
import { JobStatus } from '../../domain/backup-jobs/job-status.tsx'
import { dash, plural } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './overview.module.css'

const shown = 5

/** Backups that run, with how far they are. */
export function RunningPanel({ orgId }: { orgId: string }) {
  const running = useQuery(jobsQuery({ orgId, status: 'running', page: 1, limit: shown }))
  return (
    <Panel
      title="Running now"
      actions={
        <TextLink to="/backup/jobs" search={{ org: orgId }} size="sm">
          All jobs
        </TextLink>
      }
    >
      <Listed of={running} lines={2} empty="No backup is running.">
        {({ data, pagination: { total } }) => (
          <>
            {data.map((job) => (
              <Text key={job.id} size="sm" component="div" className={classes.job}>
                <TextLink to="/backup/jobs/$jobId" params={{ jobId: job.id }} fw={500} c="inherit" size="sm" mr="sm">
                  {job.deviceName ?? dash}
                </TextLink>
                <JobStatus job={job} />
              </Text>
            ))}
            {total > data.length && (
              <Text size="sm" mt="sm">
                <TextLink to="/backup/jobs" search={{ org: orgId, status: 'running' }} size="sm">
                  {plural(total - data.length, 'more backup')}
                </TextLink>
              </Text>
            )}
          </>
        )}
      </Listed>
    </Panel>
  )
}
