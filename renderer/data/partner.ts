import { queryOptions } from '@tanstack/react-query'
import {
  ipAllowlistStatus,
  type Partner,
  previewSecurity,
  readOwnPartner,
  type SecuritySettings,
  updateOwnPartner,
} from '../../shared/api/partners.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'

export type AllowlistStatus = ReplyOf<typeof ipAllowlistStatus>

export const ownPartnerQuery = queryOptions({
  queryKey: ['partners'],
  queryFn: ({ signal }) => api.call(readOwnPartner, {}, signal),
})

/** Depends on the address of the browser, so it is never cached. */
export const allowlistStatusQuery = queryOptions({
  queryKey: ['partners', 'allowlist-status'],
  queryFn: ({ signal }) => api.call(ipAllowlistStatus, {}, signal),
  staleTime: 0,
})

/** Whom new security settings would shut out, or ask for a second factor. */
export const previewSecurityChange = (security: SecuritySettings) => api.call(previewSecurity, { body: security })

export type OwnPartnerChange = InputOf<typeof updateOwnPartner>['body']

export const changeOwnPartner = {
  mutationFn: (body: OwnPartnerChange): Promise<Partner> => api.call(updateOwnPartner, { body }),
  onSuccess: async (saved: Partner) => {
    queryClient.setQueryData(ownPartnerQuery.queryKey, saved)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: allowlistStatusQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    ])
  },
}
