import { queryOptions } from '@tanstack/react-query'
import { downloadBackup, readBackup } from '../../shared/api/appliance-backup.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { queryClient } from '../lib/query-client.ts'

export type BackupState = ReplyOf<typeof readBackup>

export const backupQuery = queryOptions({
  queryKey: ['appliance', 'backup'],
  queryFn: ({ signal }) => api.call(readBackup, {}, signal),
})

/** The browser keeps the file, outside of the page’s memory where it is large. */
export const downloadBackupMutation = {
  mutationFn: async (signal: AbortSignal): Promise<Blob> => {
    const response = await api.open(downloadBackup, {}, signal)
    try {
      return await response.blob()
    } catch (error) {
      throw signal.aborted ? error : new ApiError(0, 'network')
    }
  },
  onSettled: () => queryClient.invalidateQueries({ queryKey: backupQuery.queryKey }),
}
