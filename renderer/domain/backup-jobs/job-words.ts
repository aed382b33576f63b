import type { BackupJob, BackupJobStatus } from '../../../shared/api/backup-jobs.ts'
import { byteRate, bytes, count, timeSpan } from '../../lib/format.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const jobStatusNames: Record<BackupJobStatus, string> = {
  pending: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  partial: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Canceled',
}

export const jobTones: Record<BackupJobStatus, Tone> = {
  pending: 'idle',
  running: 'busy',
  completed: 'good',
  partial: 'warn',
  failed: 'bad',
  cancelled: 'idle',
}

type Progress = Pick<BackupJob, 'progress' | 'transferredSize' | 'totalSize' | 'fileCount' | 'totalFiles'>

/** From 0 to 100; null while there is nothing to measure. */
export function percentOf({ progress, transferredSize, totalSize }: Progress): number | null {
  if (progress?.phase === 'finishing') return 100
  if (!totalSize || transferredSize === null || progress?.phase === 'preparing') return null
  return Math.min(100, (transferredSize / totalSize) * 100)
}

/** “2.1 GB of 6.3 GB, 4,210 of 18,000 files, 31 MB/s, 2 min 10 s left”. */
export function progressWords(job: Progress): string {
  const { progress, transferredSize, totalSize, fileCount, totalFiles } = job
  if (progress?.phase === 'finishing') return 'Finishing…'
  if (!totalSize || transferredSize === null) return 'Preparing…'
  return [
    `${bytes(transferredSize)} of ${bytes(totalSize)}`,
    fileCount !== null && totalFiles && `${count(fileCount)} of ${count(totalFiles)} files`,
    progress?.bytesPerSecond && byteRate(progress.bytesPerSecond),
    progress?.secondsLeft && `${timeSpan(progress.secondsLeft)} left`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The most important of it, for a row of a list. */
export function shortProgress(job: Progress): string {
  const percent = percentOf(job)
  if (percent === null || job.progress?.phase === 'finishing') return progressWords(job)
  const left = job.progress?.secondsLeft
  return [`${Math.floor(percent)} %`, left && `${timeSpan(left)} left`].filter(Boolean).join(', ')
}

export function jobDurationMs({ startedAt, completedAt }: Pick<BackupJob, 'startedAt' | 'completedAt'>): number | null {
  return startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : null
}
