import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { BackupJob, readBackupJob } from '../../../shared/api/backup-jobs.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { isOpenJob, jobQuery } from '../../data/backup-jobs.ts'
import { useCancelJob } from '../../domain/backup-jobs/cancel-job.ts'
import { adviceFor } from '../../domain/backup-jobs/job-advice.ts'
import { JobStatus } from '../../domain/backup-jobs/job-status.tsx'
import { percentOf, progressWords } from '../../domain/backup-jobs/job-words.ts'
import { useRunBackup } from '../../domain/backup-jobs/use-run-backup.tsx'
import { modeName } from '../../domain/backup-policies/what-words.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { FileProblems } from '../../ui/file-problems.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { JobFacts } from './job-facts.tsx'

type Job = ReplyOf<typeof readBackupJob>

export function JobPage() {
  const { jobId } = useParams({ from: '/app/backup/jobs/$jobId' })
  const job = useQuery(jobQuery(jobId))
  if (job.error instanceof ApiError && job.error.status === 404) return <NotFound />
  if (job.error && !job.data) return <LoadFailed error={job.error} onRetry={job.refetch} />
  return job.data ? <Details job={job.data} /> : <SkeletonLines count={6} />
}

function Details({ job }: { job: Job }) {
  const { deviceId, deviceName } = job
  return (
    <>
      <PageHeader
        title={`Backup of ${deviceName}`}
        before={
          <TextLink to="/backup/jobs" size="sm">
            Jobs
          </TextLink>
        }
        beside={<JobStatus job={job} hasBar={false} />}
        about={
          <>
            {modeName(job)} of{' '}
            <TextLink to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'backup' }} size="sm" td="underline">
              {deviceName}
            </TextLink>
            {', '}
            <RelativeTime isPast at={job.startedAt ?? job.createdAt} />
          </>
        }
        actions={<Actions job={job} />}
      />
      <Stack>
        {job.status === 'pending' && (
          <Notice tone="busy">
            <Text size="sm">It starts as soon as the device is connected and no other backup of it runs.</Text>
          </Notice>
        )}
        {job.status === 'running' && <Running job={job} />}
        <Advice job={job} />
        {job.unreadFiles.length > 0 && (
          <FileProblems what="not read" files={job.unreadFiles} total={job.errorCount ?? 0} />
        )}
        <JobFacts job={job} />
      </Stack>
    </>
  )
}

function Running({ job }: { job: BackupJob }) {
  const words = progressWords(job)
  return (
    <div>
      <WorkProgress label="Progress" text={words} percent={percentOf(job)} />
      <Text size="sm" className="nums">
        {words}
      </Text>
      <Text size="xs" c="dimmed" mih={18} truncate>
        {job.progress?.currentFile}
      </Text>
    </div>
  )
}

function Advice({ job }: { job: BackupJob }) {
  const advice = adviceFor(job)
  if (!advice) return null
  return (
    <Notice tone={job.status === 'failed' ? 'bad' : 'warn'} title={advice.what}>
      <Text size="sm">{advice.todo}</Text>
    </Notice>
  )
}

/** Cancel while it is open, and again afterwards. */
function Actions({ job }: { job: BackupJob }) {
  const mayRun = can(useMe(), 'devices:execute')
  const cancel = useCancelJob(job)
  const again = useRunBackup({ id: job.deviceId, name: job.deviceName ?? '' }, { isOpened: true })
  const isOpen = isOpenJob(job)
  useOfferActions(
    !mayRun
      ? []
      : isOpen
        ? [{ label: 'Cancel backup', Icon: IconX, run: cancel.ask }]
        : [{ label: 'Back up now', alias: 'Run again', Icon: IconPlayerPlay, run: again.run }],
  )
  if (!mayRun) return null
  return (
    <Group gap="xs">
      {isOpen ? (
        <Button variant="default" loading={cancel.isPending} onClick={cancel.ask}>
          Cancel backup
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} />}
          loading={again.isPending}
          onClick={again.run}
        >
          Back up now
        </Button>
      )}
    </Group>
  )
}
