import { queryOptions } from '@tanstack/react-query'
import { readBackupStoreUsage, setBackupQuota } from '../../shared/api/backup-quotas.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

const keyOf = (orgId: string) => [...backupKeys.storages, 'usage', { orgId }]

/** How much an organization stores on the appliance. */
export const storeUsageQuery = (orgId: string) =>
  queryOptions({
    queryKey: keyOf(orgId),
    queryFn: async ({ signal }) => (await api.call(readBackupStoreUsage, { query: { orgId } }, signal)).data,
    refetchInterval: 60_000,
  })

/** Null: no limit. */
export const changeQuota = (orgId: string) => ({
  mutationFn: async (quotaBytes: number | null) =>
    (await api.call(setBackupQuota, { body: { orgId, quotaBytes } })).data,
  onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(orgId) }),
})
