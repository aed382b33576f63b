import { queryOptions } from '@tanstack/react-query'
import { decideUnusualChange, listUnusualChanges } from '../../shared/api/unusual-changes.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Unusual changes of a device that somebody has to decide about, or that keep its older snapshots. */
export const unusualChangesQuery = (deviceId: string, orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.unusualChanges, deviceId, orgId],
    queryFn: async ({ signal }) => {
      const query = { deviceId, orgId, page: '1', limit: '100' }
      const { data } = await api.call(listUnusualChanges, { query }, signal)
      return data.filter(({ state }) => state !== 'expected')
    },
  })

export const decideAbout = (id: string, decision: 'expected' | 'held') => ({
  mutationFn: ({ reason }: { reason: string }) =>
    api.call(decideUnusualChange, { params: { id }, body: { decision, reason } }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: backupKeys.all }),
})
