import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { jobStatusNames, jobTones } from '../backup-jobs/job-words.ts'
import { restoredPercent, shortRestoreProgress } from './restore-words.ts'

/** How a restore stands; one that runs with how far it is. */
export function RestoreStatusDot({ restore, hasBar = true }: { restore: RestoreJob; hasBar?: boolean }) {
  const { status, deviceName } = restore
  const isRunning = status === 'running'
  const word = jobStatusNames[status]
  const progress = shortRestoreProgress(restore)
  return (
    <>
      <StatusDot tone={jobTones[status]} isPulsing={isRunning}>
        {isRunning ? `${word}, ${progress}` : word}
      </StatusDot>
      {isRunning && hasBar && (
        <WorkProgress label={`Progress on ${deviceName}`} text={progress} percent={restoredPercent(restore)} />
      )}
    </>
  )
}
