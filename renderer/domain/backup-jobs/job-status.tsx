import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { jobStatusNames, jobTones, percentOf, shortProgress } from './job-words.ts'

/** How a backup stands; one that runs with how far it is. */
export function JobStatus({ job, hasBar = true }: { job: BackupJob; hasBar?: boolean }) {
  const { status } = job
  const isRunning = status === 'running'
  const word = jobStatusNames[status]
  return (
    <>
      <StatusDot tone={jobTones[status]} isPulsing={isRunning}>
        {isRunning ? `${word}, ${shortProgress(job)}` : word}
      </StatusDot>
      {isRunning && hasBar && (
        <WorkProgress label={`Progress of ${job.deviceName}`} text={shortProgress(job)} percent={percentOf(job)} />
      )}
    </>
  )
}
