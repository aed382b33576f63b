import { queryOptions } from '@tanstack/react-query'
import { addSsoDomain, deleteSsoDomain, listSsoDomains, verifySsoDomain } from '../../shared/api/sso-domains.ts'
import {
  createSsoProvider,
  deleteSsoProvider,
  listSsoPresets,
  listSsoProviders,
  readSsoProvider,
  type SsoProvider,
  type SsoProviderStatus,
  setSsoProviderStatus,
  ssoReadiness,
  testSsoProvider,
  updateSsoProvider,
} from '../../shared/api/sso-providers.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export type Readiness = ReplyOf<typeof ssoReadiness>['data']
export type TestResult = ReplyOf<typeof testSsoProvider>
export type SavedProvider = ReplyOf<typeof updateSsoProvider>
export type ProviderWarnings = NonNullable<SavedProvider['warnings']>

/**
 * Whose identity providers are meant: those of an organization, of the partner that an administrator of the platform has
 * opened, or, with neither, those of the user's own partner.
 */
export interface SsoOwner {
  orgId?: string | undefined
  partnerId?: string | undefined
}

const ssoKey = ['sso'] as const

/** Other administrators may change it, and no live event announces that. */
const alwaysStale = { staleTime: 0, refetchOnWindowFocus: true } as const

/** With the callback URL to register at each provider. */
export const presetsQuery = queryOptions({
  queryKey: [...ssoKey, 'presets'],
  queryFn: ({ signal }) => api.call(listSsoPresets, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Oldest first: of several active providers, the oldest is offered at the sign-in. */
export const providersQuery = ({ orgId, partnerId }: SsoOwner) =>
  queryOptions({
    queryKey: [...ssoKey, 'providers', orgId, partnerId],
    queryFn: async ({ signal }) => {
      const query = orgId ? { orgId } : ({ scope: 'partner', partnerId } as const)
      return (await api.call(listSsoProviders, { query }, signal)).data
    },
    ...alwaysStale,
  })

export const providerQuery = (id: string) =>
  queryOptions({
    queryKey: [...ssoKey, 'provider', id],
    queryFn: async ({ signal }) => (await api.call(readSsoProvider, { params: { id } }, signal)).data,
    ...alwaysStale,
  })

export const readinessQuery = (id: string) =>
  queryOptions({
    queryKey: [...ssoKey, 'readiness', id],
    queryFn: async ({ signal }) => (await api.call(ssoReadiness, { params: { id } }, signal)).data,
    ...alwaysStale,
  })

export const domainsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...ssoKey, 'domains', orgId],
    queryFn: async ({ signal }) => (await api.call(listSsoDomains, { query: { orgId } }, signal)).data,
    ...alwaysStale,
  })

const ssoChanged = () => queryClient.invalidateQueries({ queryKey: ssoKey })

/** Puts the reply into the cache of the provider's page. */
const cacheProvider = ({ data }: { data: SsoProvider }) => {
  queryClient.setQueryData(providerQuery(data.id).queryKey, data)
  return ssoChanged()
}

export const addProvider = ({ orgId }: SsoOwner) => ({
  mutationFn: (body: Omit<InputOf<typeof createSsoProvider>['body'], 'ownerScope' | 'orgId'>): Promise<SavedProvider> =>
    api.call(createSsoProvider, {
      query: {},
      body: { ...body, ...(orgId ? { ownerScope: 'organization', orgId } : { ownerScope: 'partner' }) },
    }),
  onSuccess: cacheProvider,
})

export type ProviderChange = InputOf<typeof updateSsoProvider>['body']

export const changeProvider = (id: string) => ({
  mutationFn: (body: ProviderChange) => api.call(updateSsoProvider, { params: { id }, body }),
  onSuccess: cacheProvider,
})

export const setProviderStatus = (id: string) => ({
  mutationFn: (status: SsoProviderStatus) => api.call(setSsoProviderStatus, { params: { id }, body: { status } }),
  onSuccess: cacheProvider,
})

export const testProvider = (id: string) => ({
  mutationFn: () => api.call(testSsoProvider, { params: { id } }),
})

/** The caller navigates away before this invalidates, or the page would refetch a deleted provider. */
export const removeProvider = (id: string) => ({
  mutationFn: () => api.call(deleteSsoProvider, { params: { id } }),
  onSuccess: ssoChanged,
})

export const addDomain = (orgId: string) => ({
  mutationFn: ({ domain }: { domain: string }) => api.call(addSsoDomain, { query: {}, body: { domain, orgId } }),
  onSuccess: ssoChanged,
})

export const verifyDomain = {
  mutationFn: (id: string) => api.call(verifySsoDomain, { params: { id } }),
  onSettled: ssoChanged,
}

export const removeDomain = {
  mutationFn: (id: string) => api.call(deleteSsoDomain, { params: { id } }),
  onSettled: ssoChanged,
}
