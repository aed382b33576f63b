import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  ipAllowlistStatus,
  type Partner,
  partnerSettings,
  readOwnPartner,
  securitySettings,
  updateOwnPartner,
} from '../../../shared/api/partners.ts'
import type { InputOf, ReplyOf } from '../../../shared/endpoint.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'

export type AllowlistStatus = ReplyOf<typeof ipAllowlistStatus>

export const companyQuery = queryOptions({
  queryKey: ['company'],
  queryFn: ({ signal }) => api.call(readOwnPartner, {}, signal),
})

/** Changes with the address of the browser, so it is never taken from memory. */
export const allowlistStatusQuery = queryOptions({
  queryKey: ['company', 'allowlist-status'],
  queryFn: ({ signal }) => api.call(ipAllowlistStatus, {}, signal),
  staleTime: 0,
})

export const securityOf = ({ settings }: Partner) => securitySettings.catch({}).parse(settings.security ?? {})

type Settings = typeof partnerSettings.shape

/** One setting; undefined where there is none, or another client wrote what this one does not know. */
export const settingOf = <Key extends keyof Settings>({ settings }: Partner, key: Key) =>
  partnerSettings.shape[key].safeParse(settings[key]).data as z.output<Settings[Key]> | undefined

export type CompanyChange = InputOf<typeof updateOwnPartner>['body']

export const changeCompany = {
  mutationFn: (body: CompanyChange): Promise<Partner> => api.call(updateOwnPartner, { body }),
  onSuccess: async (saved: Partner) => {
    queryClient.setQueryData(companyQuery.queryKey, saved)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: allowlistStatusQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    ])
  },
}
