import { Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import { backupPoliciesQuery } from '../../data/backup-policies.ts'
import { deviceQuery } from '../../data/devices.ts'
import { jobDurationMs } from '../../domain/backup-jobs/job-words.ts'
import { bytes, count, duration, exactTime } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { CopyIcon } from '../../ui/copy-button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'

const typeNames: Record<BackupJob['type'], string> = {
  scheduled: 'Schedule',
  manual: 'A person',
  incremental: 'A change on the device',
}

export function JobFacts({ job }: { job: BackupJob }) {
  const mayBrowse = can(useMe(), 'backup:read')
  const { status, configName, snapshotId, snapshotRowId, errorLog, type, startedAt, completedAt, createdAt } = job
  const isEnded = completedAt !== null
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Started by">{typeNames[type]}</Fact>
        <Fact name="Policy">{job.policyId ? <PolicyName job={job} /> : 'None'}</Fact>
        <Fact name="Storage">
          {configName && (
            <TextLink to="/backup/storage" size="sm">
              {configName}
            </TextLink>
          )}
        </Fact>
        <Fact name="Requested">{exactTime(createdAt)}</Fact>
        <Fact name="Started">{startedAt && exactTime(startedAt)}</Fact>
        <Fact name="Ended">{completedAt && exactTime(completedAt)}</Fact>
        {isEnded && <Fact name="Duration">{duration(jobDurationMs(job))}</Fact>}
        {isEnded && <Fact name="Files">{job.fileCount !== null && count(job.fileCount)}</Fact>}
        {isEnded && <Fact name="Size">{bytes(job.totalSize)}</Fact>}
        {isEnded && job.errorCount !== null && <Fact name="Not read">{count(job.errorCount)}</Fact>}
        <Fact name="Snapshot">
          {snapshotId && (
            <>
              {snapshotRowId && mayBrowse && (
                <>
                  <TextLink
                    to="/backup/snapshots/$snapshotId"
                    params={{ snapshotId: snapshotRowId }}
                    size="sm"
                    underline="always"
                  >
                    Browse files
                  </TextLink>
                  {' · '}
                </>
              )}
              <span className="mono">{snapshotId.slice(0, 12)}</span>{' '}
              <CopyIcon text={snapshotId} label="Copy snapshot ID" />
            </>
          )}
        </Fact>
        {errorLog && status !== 'cancelled' && (
          <Fact name="Message">
            <Code block style={{ whiteSpace: 'pre-wrap' }}>
              {errorLog.replace(/^\[[\w-]+\] /, '')}
            </Code>
          </Fact>
        )}
      </Facts>
    </Panel>
  )
}

/** A policy may be gone, or not be for everybody to see. */
function PolicyName({ job: { policyId, deviceId } }: { job: BackupJob }) {
  const maySee = can(useMe(), 'devices:read')
  const orgId = useQuery({ ...deviceQuery(deviceId), enabled: maySee }).data?.orgId
  const policies = useQuery({ ...backupPoliciesQuery(orgId ?? ''), enabled: orgId !== undefined }).data
  const policy = policies?.find(({ id }) => id === policyId)
  if (!policies) return 'A policy'
  if (!policy) return 'One that is gone, or that you can’t see'
  return (
    <TextLink to="/backup/protection" size="sm">
      {policy.name}
    </TextLink>
  )
}
