import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type BackupJob,
  type BackupJobStatus,
  cancelBackupJob,
  listBackupJobs,
  previewRunAll,
  readBackupJob,
  runBackup,
} from '../../shared/api/backup-jobs.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export const isOpenJob = ({ status }: Pick<BackupJob, 'status'>): boolean =>
  status === 'pending' || status === 'running'

interface JobFilters {
  orgId: string
  status?: BackupJobStatus | undefined
  deviceId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  page: number
  limit: number
}

export const jobsQuery = ({ page, limit, ...filters }: JobFilters) =>
  queryOptions({
    queryKey: [...backupKeys.jobs, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listBackupJobs, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** The slow polling while it runs covers a broken stream. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: backupKeys.job(id),
    queryFn: ({ signal }) => api.call(readBackupJob, { params: { id }, query: {} }, signal),
    refetchInterval: ({ state }) => (state.data && isOpenJob(state.data) ? 15_000 : false),
  })

export const runAllPreviewQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.jobs, 'preview', { orgId }],
    queryFn: async ({ signal }) => (await api.call(previewRunAll, { query: { orgId } }, signal)).data,
    staleTime: 0,
  })

const jobsChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.jobs })

export const runBackupMutation = {
  mutationFn: (deviceId: string) => api.call(runBackup, { params: { deviceId }, query: {} }),
  onSuccess: jobsChanged,
}

export const cancelJobMutation = {
  mutationFn: (id: string) => api.call(cancelBackupJob, { params: { id }, query: {} }),
  onSuccess: (_: unknown, id: string) =>
    Promise.all([jobsChanged(), queryClient.invalidateQueries({ queryKey: backupKeys.job(id) })]),
}
