import { queryOptions } from '@tanstack/react-query'
import { readBackupMaintenance, readReconcile, startReconcile } from '../../shared/api/backup-maintenance.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Those with a problem come first; of more than so many the rest is left out. */
const shownRepositories = 50

export const maintenanceQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.maintenance, { orgId }],
    queryFn: async ({ signal }) => {
      const query = { orgId, limit: String(shownRepositories) }
      return (await api.call(readBackupMaintenance, { query }, signal)).data
    },
    refetchInterval: ({ state }) => (state.data?.isRunning ? 5000 : 60_000),
  })

export const comparisonQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.comparison, { orgId }],
    queryFn: async ({ signal }) => (await api.call(readReconcile, { query: { orgId } }, signal)).data,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1500 : false),
  })

export const compareWithStorage = (orgId: string) => ({
  mutationFn: (body: InputOf<typeof startReconcile>['body']) => api.call(startReconcile, { query: { orgId }, body }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: backupKeys.comparison }),
})

/** After a comparison that changed something. */
export const snapshotsChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.snapshots })
