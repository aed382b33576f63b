import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listAuditChains, verifyAuditLog } from '../../shared/api/audit-log.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export type AuditChains = ReplyOf<typeof listAuditChains>

const chainKey = ['audit-chains'] as const
export const chainsPerPage = 50

/** The API lists broken chains first, so the first page has them. */
export const chainsQuery = (page = 1) =>
  queryOptions({
    queryKey: [...chainKey, page],
    queryFn: ({ signal }) =>
      api.call(listAuditChains, { query: { page: String(page), limit: String(chainsPerPage) } }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && state.data.summary.beingChecked > 0 ? 1000 : false),
  })

export const checkChainsNow = {
  mutationFn: () => api.call(verifyAuditLog, {}),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: chainKey }),
}
