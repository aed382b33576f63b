import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import type { ExistingFiles } from '../../../shared/device/backup.ts'
import { bytes, plural } from '../../lib/format.ts'
import { percentOf, progressWords, shortProgress } from '../backup-jobs/job-words.ts'

type Progress = Pick<
  RestoreJob,
  'progress' | 'restoredSize' | 'restoredFiles' | 'expectedBytes' | 'expectedFiles' | 'status'
>

/** Where nothing is measured yet: older versions of restic say nothing while they restore. */
const isUnmeasured = ({ progress, restoredSize }: Progress): boolean =>
  progress?.phase === 'preparing' || (progress?.phase !== 'finishing' && !restoredSize)

/** As that of a backup, of which it is the reverse. */
function likeBackup({ progress, restoredSize, restoredFiles, expectedBytes, expectedFiles }: Progress) {
  const speed = progress?.bytesPerSecond
  const left = speed && expectedBytes !== null ? Math.ceil((expectedBytes - (restoredSize ?? 0)) / speed) : null
  return {
    progress: progress && {
      phase: progress.phase === 'finishing' ? ('finishing' as const) : ('uploading' as const),
      currentFile: null,
      bytesPerSecond: speed ?? null,
      secondsLeft: left,
    },
    transferredSize: restoredSize,
    totalSize: expectedBytes,
    fileCount: restoredFiles,
    totalFiles: expectedFiles,
  }
}

/** From 0 to 100; null while there is nothing to measure. */
export const restoredPercent = (restore: Progress): number | null =>
  isUnmeasured(restore) ? null : percentOf(likeBackup(restore))

function unmeasuredWords({ progress, expectedBytes, expectedFiles }: Progress): string {
  if (progress?.phase !== 'restoring') return 'Preparing…'
  if (expectedBytes === null || expectedFiles === null) return 'Restoring…'
  return `Restoring ${plural(expectedFiles, 'file')}, ${bytes(expectedBytes)}…`
}

/** “2.1 GB of 6.3 GB, 4,210 of 18,000 files, 31 MB/s, 2 min 10 s left”. */
export const restoreProgressWords = (restore: Progress): string =>
  isUnmeasured(restore) ? unmeasuredWords(restore) : progressWords(likeBackup(restore))

/** The most important of it, for a row of a list. */
export const shortRestoreProgress = (restore: Progress): string =>
  isUnmeasured(restore) ? unmeasuredWords(restore) : shortProgress(likeBackup(restore))

export const whatIsRestored = ({ restoreType, selectedPaths }: Pick<RestoreJob, 'restoreType' | 'selectedPaths'>) => {
  if (restoreType === 'full') return 'Everything'
  const [first = '', ...others] = selectedPaths
  return others.length === 0 ? first : plural(selectedPaths.length, 'file or folder', 'files and folders')
}

/** Where the files go. */
export function targetWords({
  targetPath,
  inPlace,
  resultDetails,
}: Pick<RestoreJob, 'targetPath' | 'inPlace' | 'resultDetails'>): string {
  if (targetPath !== null && targetPath !== '/') return targetPath
  return inPlace ? 'Where the files were' : (resultDetails?.stagingDir ?? 'A new folder')
}

export const existingWords: Record<ExistingFiles, string> = {
  rename: 'Keep both',
  keep: 'Keep the existing file',
  replace: 'Replace it with the restored file',
}
