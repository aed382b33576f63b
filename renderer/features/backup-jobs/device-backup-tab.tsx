import { Button, Group, Stack, Text } from '@mantine/core'
import { IconFileSearch, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { isOpenJob, jobsQuery } from '../../data/backup-jobs.ts'
import { JobStatus } from '../../domain/backup-jobs/job-status.tsx'
import { progressWords } from '../../domain/backup-jobs/job-words.ts'
import { useRunBackup } from '../../domain/backup-jobs/use-run-backup.tsx'
import { useUnavailableReason } from '../../domain/commands/use-unavailable-reason.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { JobTable } from './job-table.tsx'

interface Props {
  device: DeviceDetail
  /** By which policy the device is backed up, and why. */
  protection: ReactNode
  /** What was restored to the device. */
  restores: ReactNode
}

const limit = 20

export function DeviceBackupTab({ device, protection, restores }: Props) {
  const { page = 1 } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const me = useMe()
  const maySeeJobs = can(me, 'organizations:read') || can(me, 'backup:read')
  const jobs = useQuery({
    ...jobsQuery({ orgId: device.orgId, deviceId: device.id, page, limit }),
    enabled: maySeeJobs,
  })
  return (
    <Stack>
      {protection}
      {maySeeJobs && (
        <>
          <LastBackup device={device} jobs={page === 1 ? jobs.data?.data : undefined} />
          {restores}
          <PagedList
            of={jobs}
            what="backup"
            onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), resetScroll: false })}
            empty={null}
          >
            {(rows, isStale) => <JobTable jobs={rows} isStale={isStale} isOfDevice />}
          </PagedList>
        </>
      )}
    </Stack>
  )
}

/** How the device stands: a backup that runs, or what came of the last one. */
function LastBackup({ device, jobs }: { device: DeviceDetail; jobs: readonly BackupJob[] | undefined }) {
  const name = deviceName(device)
  const mayNot = useUnavailableReason(device, 'devices:execute')
  const { run, isPending } = useRunBackup({ id: device.id, name })
  const navigate = useNavigate()
  const mayBrowse = can(useMe(), 'backup:read')
  const browse = { to: '/backup/files', search: { device: device.id } } as const
  useOfferActions([
    ...(mayNot ? [] : [{ label: 'Back up now', Icon: IconPlayerPlay, run }]),
    ...(mayBrowse
      ? [{ label: 'Restore files', alias: 'Recover Find', Icon: IconFileSearch, run: () => navigate(browse) }]
      : []),
  ])
  const open = jobs?.filter(isOpenJob) ?? []
  const last = jobs?.find((job) => !isOpenJob(job))
  return (
    <Panel
      title="Last backup"
      actions={
        <Group gap="xs">
          {mayBrowse && (
            <ButtonLink {...browse} size="xs" variant="default" leftSection={<IconFileSearch size={14} />}>
              Restore files
            </ButtonLink>
          )}
          {mayNot === null && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerPlay size={14} />}
              loading={isPending}
              onClick={run}
            >
              Back up now
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="xs">
        {open.map((job) => (
          <Text key={job.id} size="sm" component="div">
            <JobStatus job={job} />
            {job.status === 'running' && (
              <Text size="xs" c="dimmed" className="nums">
                {progressWords(job)}
              </Text>
            )}
          </Text>
        ))}
        {last ? (
          <Group gap="md">
            <Text size="sm" component="div">
              <JobStatus job={last} />
            </Text>
            <Text size="sm" c="dimmed" component="div">
              <RelativeTime at={last.completedAt ?? last.createdAt} />
            </Text>
            <TextLink to="/backup/jobs/$jobId" params={{ jobId: last.id }} size="sm">
              Details
            </TextLink>
          </Group>
        ) : (
          jobs &&
          open.length === 0 && (
            <Text size="sm" c="dimmed">
              Never backed up.
            </Text>
          )
        )}
      </Stack>
    </Panel>
  )
}
