import { useMutation } from '@tanstack/react-query'
import { fetchBackupDownload, startBackupDownload } from '../../shared/api/backup-downloads.ts'
import { api } from '../lib/api.ts'
import { saveFrom } from '../lib/clipboard.ts'
import { notifyFailed } from '../lib/notify.ts'

interface Wanted {
  snapshotId: string
  /** A file comes as it is, a folder, or several of both, as a ZIP archive; `/` is all of the snapshot. */
  paths: string[]
}

/** Downloads from a snapshot. The browser writes to its disk what comes, however much it is. */
export function useDownload() {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ snapshotId, paths }: Wanted) =>
      api.call(startBackupDownload, { params: { id: snapshotId }, query: {}, body: { paths } }),
    onSuccess: ({ id: downloadId }) => saveFrom(api.addressOf(fetchBackupDownload, { params: { downloadId } })),
    onError: notifyFailed('Not downloaded'),
  })
  return {
    download: mutate,
    /** What is being prepared; null when nothing is. */
    preparing: isPending ? (variables ?? null) : null,
  }
}
