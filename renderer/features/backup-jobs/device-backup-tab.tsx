import { Button, Group, Stack, Text } from '@mantine/core'
import { IconFileSearch, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import type { BackupStatus } from '../../../shared/api/backup-reports.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { isOpenJob, jobsQuery } from '../../data/backup-jobs.ts'
import { backupStatusQuery } from '../../data/backup-reports.ts'
import { adviceFor } from '../../domain/backup-jobs/job-advice.ts'
import { JobStatus } from '../../domain/backup-jobs/job-status.tsx'
import { progressWords } from '../../domain/backup-jobs/job-words.ts'
import { useRunBackup } from '../../domain/backup-jobs/use-run-backup.tsx'
import {
  firstBackup,
  protectionNames,
  protectionNotes,
  protectionTones,
} from '../../domain/backup-reports/protection-states.ts'
import { useUnavailableReason } from '../../domain/commands/use-unavailable-reason.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { JobTable } from './job-table.tsx'

interface Props {
  device: DeviceDetail
  /** What looks like an attack. */
  unusualChanges: ReactNode
  /** By which policy the device is backed up, and why. */
  protection: ReactNode
  /** How well the device could be brought back. */
  readiness: ReactNode
  /** Whether its backups were proven. */
  checks: ReactNode
  /** Where its backups have a second copy. */
  secondCopies: ReactNode
  /** What was restored to the device. */
  restores: ReactNode
}

const limit = 20

export function DeviceBackupTab(props: Props) {
  const { device, unusualChanges, protection, readiness, checks, secondCopies, restores } = props
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
      {unusualChanges}
      {protection}
      {maySeeJobs && (
        <>
          <Standing device={device} jobs={page === 1 ? jobs.data?.data : undefined} />
          {readiness}
          {checks}
          {secondCopies}
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

/** How the device stands: its last backups, the next one, and what to do if something is wrong. */
function Standing({ device, jobs }: { device: DeviceDetail; jobs: readonly BackupJob[] | undefined }) {
  const name = deviceName(device)
  const mayNot = useUnavailableReason(device, 'devices:execute')
  const { run, isPending } = useRunBackup({ id: device.id, name })
  const status = useQuery(backupStatusQuery(device.id))
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
  return (
    <Panel
      title="Backups"
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
      <Stack gap="sm">
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
        <Loaded of={status} lines={3}>
          {(data) => <Report status={data} isBusy={open.length > 0} />}
        </Loaded>
      </Stack>
    </Panel>
  )
}

function Report({ status, isBusy }: { status: BackupStatus; isBusy: boolean }) {
  const { state, lastSuccessAt, lastFailureAt, lastFailureError, lastFailureJobId, nextScheduledAt } = status
  const isFirst = state === 'never' && isBusy
  const isFailing = state === 'failing'
  const advice = isFailing ? adviceFor({ status: 'failed', errorLog: lastFailureError, errorCount: null }) : null
  return (
    <>
      <div>
        <Text size="sm" component="div">
          <StatusDot tone={isFirst ? 'busy' : protectionTones[state]}>
            {isFirst ? firstBackup.name : protectionNames[state]}
          </StatusDot>
        </Text>
        {state !== 'protected' && (
          <Text size="sm" c="dimmed" mt={4}>
            {advice ? `${advice.what} ${advice.todo}` : isFirst ? firstBackup.note : protectionNotes[state]}
          </Text>
        )}
      </div>
      <Facts>
        <Fact name="Last good backup">
          <RelativeTime isPast at={lastSuccessAt} never="Never" />
        </Fact>
        <Fact name="Next backup">
          <RelativeTime at={nextScheduledAt} never="Not scheduled" />
        </Fact>
        {lastFailureAt && (
          <Fact name="Last failure">
            <RelativeTime isPast at={lastFailureAt} />
            {lastFailureJobId && (
              <>
                {' '}
                <TextLink to="/backup/jobs/$jobId" params={{ jobId: lastFailureJobId }} size="sm">
                  Details
                </TextLink>
              </>
            )}
          </Fact>
        )}
      </Facts>
    </>
  )
}
