import { queryOptions } from '@tanstack/react-query'
import { readAuditRetention, updateAuditRetention } from '../../shared/api/audit-log.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const auditRetentionQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['audit-retention', orgId],
    queryFn: async ({ signal }) => (await api.call(readAuditRetention, { params: { id: orgId } }, signal)).data,
  })

export type AuditRetention = Awaited<ReturnType<NonNullable<ReturnType<typeof auditRetentionQuery>['queryFn']>>>

export const saveAuditRetention = (orgId: string) => ({
  mutationFn: async (retentionDays: number): Promise<AuditRetention> =>
    (await api.call(updateAuditRetention, { params: { id: orgId }, body: { retentionDays } })).data,
  onSuccess: (saved: AuditRetention) => {
    queryClient.setQueryData(auditRetentionQuery(orgId).queryKey, saved)
  },
})
