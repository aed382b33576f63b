import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  cancelRestore,
  createRestore,
  listRestores,
  previewRestore,
  type RestoreJob,
  type RestoreStatus,
  readRestore,
} from '../../shared/api/backup-restores.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export const isOpenRestore = ({ status }: Pick<RestoreJob, 'status'>): boolean =>
  status === 'pending' || status === 'running'

interface RestoreFilters {
  orgId: string
  status?: RestoreStatus | undefined
  deviceId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  page: number
  limit: number
}

export const restoresQuery = ({ page, limit, ...filters }: RestoreFilters) =>
  queryOptions({
    queryKey: [...backupKeys.restores, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listRestores, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** The slow polling while it runs covers a broken stream. */
export const restoreQuery = (id: string) =>
  queryOptions({
    queryKey: backupKeys.restore(id),
    queryFn: async ({ signal }) => (await api.call(readRestore, { params: { id }, query: {} }, signal)).data,
    refetchInterval: ({ state }) => (state.data && isOpenRestore(state.data) ? 15_000 : false),
  })

export type RestoreInput = InputOf<typeof createRestore>['body']

/** What a restore would bring, and the room on the device that gets it. */
export const restorePreviewQuery = (body: InputOf<typeof previewRestore>['body']) =>
  queryOptions({
    queryKey: [...backupKeys.all, 'restore-preview', body],
    queryFn: async ({ signal }) => (await api.call(previewRestore, { query: {}, body }, signal)).data,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  })

const restoresChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.restores })

export const startRestore = {
  mutationFn: (body: RestoreInput) => api.call(createRestore, { query: {}, body }),
  onSuccess: restoresChanged,
}

export const cancelRestoreMutation = {
  mutationFn: (id: string) => api.call(cancelRestore, { params: { id }, query: {} }),
  onSuccess: (_: unknown, id: string) =>
    Promise.all([restoresChanged(), queryClient.invalidateQueries({ queryKey: backupKeys.restore(id) })]),
}
